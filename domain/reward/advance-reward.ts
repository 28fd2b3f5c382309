import { eq, sql } from 'drizzle-orm';
import type { Tx } from '#db/database.ts';
import { rewards } from '#db/schema/reward.ts';
import { rules } from '#db/schema/rule.ts';
import { statement } from '#db/statement.ts';
import { moveIn, moveManyIn } from '#db/write.ts';
import { type Announced, announce } from '#domain/outbox/announce.ts';
import { queueSettlement } from '#domain/redemption/queue-settlement.ts';
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

/** What a reward's next step is decided by, as the transaction has read it. */
export interface LoadedReward {
  id: string;
  state: Reward['state'];
  userId: string | null;
  /** The rule's. */
  ownerId: string;
}

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
const moveRewards = moveManyIn(rewards, 'rewards');

export interface AdvancedReward {
  itemId: string;
  ruleId: string;
}

/**
 * Moves a reward by its machine. Null when the event may not happen now. What becomes of points that were spent on it is
 * noted with it; the viewer's and the owner's pages are told. Nobody but this file writes a reward's state.
 */
export async function advanceReward(
  tx: Tx,
  rewardId: string,
  event: RewardEvent,
  patch: RewardPatch,
  nowMs: number,
): Promise<AdvancedReward | null> {
  const [reward] = await readReward(tx, { id: rewardId });
  const news = reward && (await advanceLoadedReward(tx, reward, event, patch));
  if (!news) return null;
  await announce(tx, news, nowMs);
  return { itemId: reward.itemId, ruleId: reward.ruleId };
}

/** The same of a reward that was just read. Its news are the caller's to announce, with what else happens. */
export async function advanceLoadedReward(
  tx: Tx,
  reward: LoadedReward,
  event: RewardEvent,
  patch: RewardPatch,
): Promise<Announced[] | null> {
  const state = rewardMachine.next(reward.state, event);
  if (!state || !(await moveReward(tx, reward, { ...patch, state }))) return null;
  await queueSettlement(tx, [reward.id], state);
  return newsOf(reward, patch);
}

/**
 * The same of any number of rewards, in one statement for each state that they were read in; the patches have the same
 * columns. Answers with the ids of those that moved: another was faster with the rest, or it may not happen to them.
 */
export async function advanceRewards(
  tx: Tx,
  event: RewardEvent,
  steps: readonly { reward: LoadedReward; patch: RewardPatch }[],
  nowMs: number,
): Promise<Set<string>> {
  const moved = new Set<string>();
  for (const from of new Set(steps.map(({ reward }) => reward.state))) {
    const to = rewardMachine.next(from, event);
    if (!to) continue;
    const rows = steps
      .filter(({ reward }) => reward.state === from)
      .map(({ reward, patch }) => ({ ...patch, id: reward.id }));
    const ids = await moveRewards(tx, { from, to }, rows);
    await queueSettlement(tx, [...ids], to);
    for (const id of ids) moved.add(id);
  }
  const done = steps.filter(({ reward }) => moved.has(reward.id));
  await announce(
    tx,
    done.flatMap(({ reward, patch }) => newsOf(reward, patch)),
    nowMs,
  );
  return moved;
}

function newsOf(reward: LoadedReward, patch: RewardPatch): Announced[] {
  const viewerId = patch.userId ?? reward.userId;
  const readers = new Set([reward.ownerId, ...(viewerId ? [viewerId] : [])]);
  return [...readers].map((userId) => ({ userId, kind: 'reward.changed', subjectId: reward.id }));
}
