import { and, eq, type SQL, sql } from 'drizzle-orm';
import { bigint, is, within } from '#db/dialect.ts';
import { transfers } from '#db/schema/transfer.ts';
import { advanceTransfer } from '#domain/transfer/advance-transfer.ts';
import { PLACE_NEEDED } from '#domain/transfer/offer-limits.ts';
import type { TransferTx } from '#domain/transfer/transfer-lock.ts';

/** The reason of an earlier cancellation request, if any. Other errors are not cancellation reasons. */
const previousReason = sql`case when ${transfers.cancelWanted} then ${transfers.lastError} end`;

/**
 * An offer that is still there long after this time concerns the operator. One that others need the place of
 * keeps its time, because its viewer can claim again until then.
 */
const cancelAtMsFor = (reason: string | null, nowMs: number): SQL | number => {
  if (reason === PLACE_NEEDED) return sql`${transfers.cancelAtMs}`;
  if (reason !== null) return nowMs;
  return sql`case when ${transfers.cancelWanted} and ${is(transfers.lastError, PLACE_NEEDED)} then ${transfers.cancelAtMs} else ${bigint(nowMs)} end`;
};

/**
 * Withdraws a transfer: immediately while queued. If the offer may already be on Steam, records a
 * cancellation request for the bot, and Steam's answer decides. `reason` is one of our own codes, stored when
 * the transfer ends. Returns `tooLate` if it has ended, or if both sides have agreed and Steam holds it in
 * escrow.
 */
export async function withdrawTransfer(
  tx: TransferTx,
  transferId: string,
  { reason = null }: { reason?: string | null },
  nowMs: number,
): Promise<'withdrawn' | 'asked' | 'tooLate'> {
  const withdrawn = { event: 'withdrawn', ...(reason !== null && { error: reason }) } as const;
  if (await advanceTransfer(tx, transferId, withdrawn, nowMs)) return 'withdrawn';
  const asked = await tx
    .update(transfers)
    .set({
      cancelWanted: true,
      lastError: reason ?? previousReason,
      cancelAtMs: cancelAtMsFor(reason, nowMs),
    })
    .where(
      and(
        eq(transfers.id, transferId),
        within(transfers.state, ['sending', 'uncertain', 'unconfirmed', 'sent']),
      ),
    )
    .returning({ id: transfers.id });
  return asked.length > 0 ? 'asked' : 'tooLate';
}
