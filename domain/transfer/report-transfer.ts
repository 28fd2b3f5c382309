import type { Database } from '#db/database.ts';
import { advanceTransfer, type TransferChange } from '#domain/transfer/advance-transfer.ts';
import { transferTransaction } from '#domain/transfer/transfer-lock.ts';

/**
 * Applies one event from the bot in its own transaction. Returns false when it was already applied or comes too late.
 */
export async function reportTransfer(
  database: Database,
  transferId: string,
  change: TransferChange,
  nowMs: number,
): Promise<boolean> {
  return transferTransaction(database, transferId, (tx) => advanceTransfer(tx, transferId, change, nowMs));
}
