import { and, sql } from 'drizzle-orm';
import type { Answer, Tx } from '#db/database.ts';
import { is, isAmong } from '#db/dialect.ts';
import { redemptions, type Settlement } from '#db/schema/redemption.ts';
import type { RewardState } from '#db/schema/reward.ts';
import { statement } from '#db/statement.ts';

/** The settlement when a reward paid with points enters a state; null: the points stay open. */
export const settlementForReward = {
  free: null,
  promised: null,
  reserved: null,
  claimed: 'fulfil',
  recalled: 'refund',
} as const satisfies Record<RewardState, Settlement | null>;

const setSettlements = statement('redemption_settlements', (tx) =>
  tx
    .update(redemptions)
    .set({
      settlement: sql`${sql.placeholder('settlement')}` as never,
      refundReason: sql`${sql.placeholder('refundReason')}` as never,
      runAtMs: 0,
      attempts: 0,
    })
    .where(and(isAmong(redemptions.rewardId, sql.placeholder('rewardIds')), is(redemptions.state, 'open'))),
);

/**
 * Queues the settlement of points spent on rewards that reach this state, in the transaction that moves the
 * rewards. Redemptions that have ended are not changed.
 */
export function queueSettlement(
  tx: Tx,
  rewardIds: readonly string[],
  rewardState: RewardState,
): Answer<unknown> {
  const settlement = settlementForReward[rewardState];
  if (!settlement || rewardIds.length === 0) return undefined;
  const refundReason = settlement === 'refund' ? 'recalled' : null;
  return setSettlements(tx, { rewardIds: JSON.stringify(rewardIds), settlement, refundReason });
}
