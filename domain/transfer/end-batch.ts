import { and, eq } from 'drizzle-orm';
import { within } from '#db/dialect.ts';
import { liveTransferStates, type TransferState, transfers } from '#db/schema/transfer.ts';
import type { TransferTx } from '#domain/transfer/transfer-lock.ts';
import { withdrawTransfer } from '#domain/transfer/withdraw-transfer.ts';

/** The ends by which a streamer shows that a deposit is not wanted any more, or not now. */
const unwanted: ReadonlySet<TransferState> = new Set(['declined', 'expired', 'cancelled']);

/**
 * Withdraws the offers of a deposit that are not on Steam yet, once another one of it was declined, cancelled
 * or not answered: the rest would only take places from others. An offer that is being sent, or may have
 * been, is cancelled once that is known. Offers that are on Steam already wait for their own answers.
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
        within(transfers.state, ['queued', 'sending', 'uncertain']),
        eq(transfers.batchId, ended.batchId),
      ),
    );
  for (const { id } of waiting) await withdrawTransfer(tx, id, { reason: 'batchEnded' }, nowMs);
}
