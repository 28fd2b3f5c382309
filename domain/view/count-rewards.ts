import { and, count, eq, gte, isNotNull, sql } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { is, within } from '#db/dialect.ts';
import { liveRewardStates, rewards } from '#db/schema/reward.ts';
import { preparingTransferStates, transfers } from '#db/schema/transfer.ts';
import { statement } from '#db/statement.ts';

/** A streamer's rewards by status. */
export interface RewardCounts {
  /**
   * Rewards that are in rules at the moment. `preparing` counts the reserved ones that have no offer on Steam
   * yet.
   */
  now: { free: number; promised: number; reserved: number; preparing: number; rules: number };
  /** The outcomes of the promises made since then; `recalled` counts all other ends. */
  since: { promised: number; claimed: number; timedOut: number; reversed: number; recalled: number };
}

/**
 * Names all live states, even for a query about one of them, because SQLite uses the index of live rewards
 * only then.
 */
const isLiveOfOwner = and(
  eq(rewards.ownerId, sql.placeholder('ownerId')),
  within(rewards.state, liveRewardStates),
);

const countLive = statement('live_rewards', (q) =>
  q
    .select({ ruleId: rewards.ruleId, state: rewards.state, rewards: count() })
    .from(rewards)
    .where(isLiveOfOwner)
    .groupBy(rewards.ruleId, rewards.state),
);

const countPreparing = statement('preparing_rewards', (q) =>
  q
    .select({ preparing: count() })
    .from(rewards)
    .innerJoin(
      transfers,
      and(eq(transfers.rewardId, rewards.id), within(transfers.state, preparingTransferStates)),
    )
    .where(and(isLiveOfOwner, is(rewards.state, 'reserved'))),
);

const countPromised = statement('promised_rewards', (q) =>
  q
    .select({ state: rewards.state, recallReason: rewards.recallReason, rewards: count() })
    .from(rewards)
    .where(
      and(
        eq(rewards.ownerId, sql.placeholder('ownerId')),
        isNotNull(rewards.twitchId),
        gte(rewards.promisedAtMs, sql.placeholder('sinceMs')),
      ),
    )
    .groupBy(rewards.state, rewards.recallReason),
);

const sum = (rows: readonly { rewards: number }[]) =>
  rows.reduce((total, row) => total + Number(row.rewards), 0);

/** Counts a streamer's rewards that are in rules now, including those that deleted rules still owe. */
export async function countLiveRewards(
  { read }: Database,
  { ownerId }: { ownerId: string },
): Promise<RewardCounts['now']> {
  const live = await countLive(read, { ownerId });
  const inState = (state: string) => sum(live.filter((row) => row.state === state));
  const reserved = inState('reserved');
  const [row] = reserved > 0 ? await countPreparing(read, { ownerId }) : [];
  return {
    free: inState('free'),
    promised: inState('promised'),
    reserved,
    preparing: Number(row?.preparing ?? 0),
    rules: new Set(live.map(({ ruleId }) => ruleId)).size,
  };
}

/** Counts a streamer's rewards: those in rules now, and the outcomes of promises made since a moment. */
export async function countRewards(
  db: Database,
  { ownerId, sinceMs }: { ownerId: string; sinceMs: number },
): Promise<RewardCounts> {
  const now = await countLiveRewards(db, { ownerId });
  const made = await countPromised(db.read, { ownerId, sinceMs });
  const endedBy = (reason: string) => sum(made.filter(({ recallReason }) => recallReason === reason));
  const [timedOut, reversed] = [endedBy('timedOut'), endedBy('reversed')];
  return {
    now,
    since: {
      promised: sum(made),
      claimed: sum(made.filter(({ state }) => state === 'claimed')),
      timedOut,
      reversed,
      recalled: sum(made.filter(({ state }) => state === 'recalled')) - timedOut - reversed,
    },
  };
}
