import { and, count, lte, min } from 'drizzle-orm';
import type { Reader } from '#db/database.ts';
import { is, within } from '#db/dialect.ts';
import { pendingRewardStates, rewards } from '#db/schema/reward.ts';
import { liveTransferStates, type TransferKind, type TransferState, transfers } from '#db/schema/transfer.ts';
import { hour } from '#domain/kernel/time.ts';
import { underWay, waitsSince } from '#domain/transfer/under-way.ts';

/** The amount of work under way, for the operator. Times are domain time. */
export interface Work {
  transfers: { kind: TransferKind; state: TransferState; count: number; oldestAtMs: number }[];
  /** Promises whose time to claim ends within the hour. */
  expiringPromises: number;
  /** Attached to a rule and promised to nobody. */
  freeRewards: number;
}

/** Counts transfers and rewards that are under way; ended ones are not read. */
export async function countWork(q: Reader, nowMs: number): Promise<Work> {
  const live = await q
    .select({
      kind: transfers.kind,
      state: transfers.state,
      count: count(),
      oldestAtMs: min(waitsSince).mapWith(Number),
    })
    .from(transfers)
    .where(underWay(liveTransferStates))
    .groupBy(transfers.kind, transfers.state);
  return {
    transfers: live.map((row) => ({ ...row, oldestAtMs: Number(row.oldestAtMs) })),
    expiringPromises: await q.$count(
      rewards,
      and(
        within(rewards.state, pendingRewardStates),
        is(rewards.state, 'promised'),
        lte(rewards.claimUntilMs, nowMs + hour),
      ),
    ),
    freeRewards: await q.$count(rewards, is(rewards.state, 'free')),
  };
}
