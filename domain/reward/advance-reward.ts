import { eq, sql } from 'drizzle-orm';
import type { Tx } from '#db/database.ts';
import { rewards } from '#db/schema/reward.ts';
import { rules } from '#db/schema/rule.ts';
import { statement } from '#db/statement.ts';
import { moveIn, moveManyIn } from '#db/write.ts';
import { type ChannelTx, requireChannel } from '#domain/kernel/locks.ts';
import { type Announced, announce } from '#domain/outbox/announce.ts';
import { countEnded } from '#domain/reward/count-ended.ts';
import { queueSettlement } from '#domain/reward/queue-settlement.ts';
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
    | 'stopReason'
    | 'stopAskedAtMs'
    | 'unmetCondition'
  >
>;

/** The fields that decide a reward's next step, as read in the current transaction. */
export interface LoadedReward {
  id: string;
  state: Reward['state'];
  userId: string | null;
  /** The owner of the rule. */
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
      channelId: rules.channelId,
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
 * Applies an event to a reward, queues the settlement of points spent on it, and announces the change to the viewer
 * and the rule's owner. Returns null when the event is not allowed in the current state. This file is the only writer
 * of `rewards.state`.
 */
export async function advanceReward(
  tx: ChannelTx,
  rewardId: string,
  event: RewardEvent,
  patch: RewardPatch,
  nowMs: number,
): Promise<AdvancedReward | null> {
  const [reward] = await readReward(tx, { id: rewardId });
  if (reward) requireChannel(tx, reward.channelId);
  const announced = reward && (await advanceLoadedReward(tx, reward, event, patch));
  if (!announced) return null;
  await announce(tx, announced, nowMs);
  return { itemId: reward.itemId, ruleId: reward.ruleId };
}

/**
 * Like `advanceReward`, for a reward already read in this transaction. The caller announces the returned
 * changes. Takes no lock, because a claim gives its viewer only what was promised to them already.
 */
export async function advanceLoadedReward(
  tx: Tx,
  reward: LoadedReward,
  event: RewardEvent,
  patch: RewardPatch,
): Promise<Announced[] | null> {
  const state = rewardMachine.next(reward.state, event);
  if (!state || !(await moveReward(tx, reward, { ...patch, state }))) return null;
  await countEnded(tx, [reward.id], { from: reward.state, to: state });
  await queueSettlement(tx, [reward.id], state);
  return announcementsFor(reward, patch);
}

/**
 * Applies one event to many rewards, with one statement per current state. All patches must have the same
 * columns. Rewards that belong to no viewer are not announced one by one; the caller announces that the rule
 * changed. Returns the ids that moved; the rest were moved by another transaction or do not allow the event.
 */
export async function advanceRewards(
  tx: ChannelTx,
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
    await countEnded(tx, [...ids], { from, to });
    await queueSettlement(tx, [...ids], to);
    for (const id of ids) moved.add(id);
  }
  const done = steps.filter(({ reward, patch }) => moved.has(reward.id) && viewerOf(reward, patch));
  await announce(
    tx,
    done.flatMap(({ reward, patch }) => announcementsFor(reward, patch)),
    nowMs,
  );
  return moved;
}

const viewerOf = (reward: LoadedReward, patch: RewardPatch): string | null => patch.userId ?? reward.userId;

function announcementsFor(reward: LoadedReward, patch: RewardPatch): Announced[] {
  const viewerId = viewerOf(reward, patch);
  const readers = new Set([reward.ownerId, ...(viewerId ? [viewerId] : [])]);
  return [...readers].map((userId) => ({ userId, kind: 'reward.changed', subjectId: reward.id }));
}
