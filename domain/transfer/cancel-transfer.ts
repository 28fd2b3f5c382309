import type { Database } from '#db/database.ts';
import { done, type Outcome, refuse } from '#domain/kernel/outcome.ts';
import { endBatchOf } from '#domain/transfer/end-batch.ts';
import { findTransferOf } from '#domain/transfer/find-transfer.ts';
import { transferTransaction } from '#domain/transfer/transfer-lock.ts';
import { withdrawTransfer } from '#domain/transfer/withdraw-transfer.ts';

/**
 * Cancels a transfer for the user who requested it: immediately while queued. If the offer may already be on
 * Steam, the bot is asked to cancel it there and Steam's answer decides. Other offers of the same deposit
 * that are still waiting end with it.
 */
export async function cancelTransfer(
  db: Database,
  { transferId, userId }: { transferId: string; userId: string },
  nowMs: number,
): Promise<Outcome<{ cancelled: boolean }, 'notFound' | 'tooLate'>> {
  return transferTransaction(db, transferId, async (tx) => {
    if (!(await findTransferOf(tx, transferId, userId))) return refuse('notFound');
    const taken = await withdrawTransfer(tx, transferId, {}, nowMs);
    if (taken === 'withdrawn') await endBatchOf(tx, transferId, nowMs);
    return taken === 'tooLate' ? refuse('tooLate') : done({ cancelled: taken === 'withdrawn' });
  });
}
