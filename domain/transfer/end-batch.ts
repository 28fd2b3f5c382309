import { and, eq } from 'drizzle-orm';
import { is, within } from '#db/dialect.ts';
import { liveTransferStates, type TransferState, transfers } from '#db/schema/transfer.ts';
import { advanceTransfer } from '#domain/transfer/advance-transfer.ts';
import type { TransferTx } from '#domain/transfer/transfer-lock.ts';

/** The ends by which a streamer shows that a deposit is not wanted any more, or not now. */
const unwanted: ReadonlySet<TransferState> = new Set(['declined', 'expired', 'cancelled']);

/**
 * Withdraws what is still queued of a deposit of several offers, once one of them was declined, cancelled or not
 * answered: the rest would only keep places from others. What is on Steam already waits for its own answer.
 */
export async function endBatchOf(tx: TransferTx, transferId: string, nowMs: number): Promise<void> {
  const [ended] = await tx
    .select({ userId: transfers.userId, batchId: transfers.batchId, state: transfers.state })
    .from(transfers)
    .where(eq(transfers.id, transferId));
  if (!ended?.batchId || !unwanted.has(ended.state)) return;
  const waiting = await tx
    .select({ id: transfers.id })
    .from(transfers)
    .where(
      and(
        eq(transfers.userId, ended.userId),
        within(transfers.state, liveTransferStates),
        is(transfers.state, 'queued'),
        eq(transfers.batchId, ended.batchId),
      ),
    );
  for (const { id } of waiting)
    await advanceTransfer(tx, id, { event: 'withdrawn', error: 'batchEnded' }, nowMs);
}
