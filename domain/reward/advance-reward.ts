import { eq, sql } from 'drizzle-orm';
import type { Tx } from '#db/database.ts';
import { rewards } from '#db/schema/reward.ts';
import { rules } from '#db/schema/rule.ts';
import { statement } from '#db/statement.ts';
import { moveIn } from '#db/write.ts';
import { announce } from '#domain/outbox/announce.ts';
import { wishEnd } from '#domain/redemption/wish-end.ts';
import { type RewardEvent, rewardMachine } from '#domain/reward/reward-machine.ts';

type Reward = typeof rewards.$inferSelect;
type RewardPatch = Partial<
  Pick<
    Reward,
    | 'twitchId'
    | 'userId'
    | 'promisedAtMs'
    | 'claimUntilMs'
    | 'steamId'
    | 'claimedAtMs'
    | 'recallReason'
    | 'unmetCondition'
  >
>;

const readReward = statement('reward_state', (tx) =>
  tx
    .select({
      id: rewards.id,
      state: rewards.state,
      itemId: rewards.itemId,
      ruleId: rewards.ruleId,
      userId: rewards.userId,
      ownerId: rules.ownerId,
    })
    .from(rewards)
    .innerJoin(rules, eq(rules.id, rewards.ruleId))
    .where(eq(rewards.id, sql.placeholder('id'))),
);
const moveReward = moveIn(rewards, 'reward');

export interface AdvancedReward {
  itemId: string;
  ruleId: string;
}

/**
 * The only writer of a reward's state. Null when the event may not happen now. What becomes of points that were spent on
 * it is noted with it; the viewer's and the owner's pages are told.
 */
export async function advanceReward(
  tx: Tx,
  rewardId: string,
  event: RewardEvent,
  patch: RewardPatch,
  nowMs: number,
): Promise<AdvancedReward | null> {
  const [reward] = await readReward(tx, { id: rewardId });
  const state = reward && rewardMachine.next(reward.state, event);
  if (!reward || !state) return null;
  if (!(await moveReward(tx, reward, { ...patch, state }))) return null;
  await wishEnd(tx, rewardId, state);
  const viewerId = patch.userId ?? reward.userId;
  const readers = new Set([reward.ownerId, ...(viewerId ? [viewerId] : [])]);
  await announce(
    tx,
    [...readers].map((userId) => ({ userId, kind: 'reward.changed' as const, subjectId: rewardId })),
    nowMs,
  );
  return { itemId: reward.itemId, ruleId: reward.ruleId };
}
