import { and, eq, ne } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { alias, is } from '#db/dialect.ts';
import { items } from '#db/schema/item.ts';
import { transferItems } from '#db/schema/transfer.ts';
import { advanceTransfer, type TransferChange } from '#domain/transfer/advance-transfer.ts';
import { endBatchOf } from '#domain/transfer/end-batch.ts';
import { type TransferTx, transferTransaction } from '#domain/transfer/transfer-lock.ts';
import { withdrawTransfer } from '#domain/transfer/withdraw-transfer.ts';

/**
 * Applies one event from the bot in its own transaction. A reversed deposit also withdraws the open offers of
 * its items. Returns false when the event was already applied or comes too late.
 */
export async function reportTransfer(
  db: Database,
  transferId: string,
  change: TransferChange,
  nowMs: number,
): Promise<boolean> {
  return transferTransaction(db, transferId, (tx) => applyReport(tx, transferId, change, nowMs));
}

/** Applies one event from the bot in the caller's transaction, as `reportTransfer` does. */
export async function applyReport(
  tx: TransferTx,
  transferId: string,
  change: TransferChange,
  nowMs: number,
): Promise<boolean> {
  const isApplied = await advanceTransfer(tx, transferId, change, nowMs);
  if (isApplied && change.event === 'reversed') await withdrawOffersOfReversed(tx, transferId, nowMs);
  if (isApplied) await endBatchOf(tx, transferId, nowMs);
  return isApplied;
}

/** Withdraws open offers of items that the reversal of this deposit took from custody: nobody can accept them. */
async function withdrawOffersOfReversed(tx: TransferTx, depositId: string, nowMs: number): Promise<void> {
  const offered = alias(transferItems, 'offered');
  const offers = await tx
    .selectDistinct({ id: offered.transferId })
    .from(transferItems)
    .innerJoin(items, and(eq(items.id, transferItems.itemId), is(items.state, 'gone')))
    .innerJoin(
      offered,
      and(
        eq(offered.itemId, transferItems.itemId),
        eq(offered.open, true),
        ne(offered.transferId, transferItems.transferId),
      ),
    )
    .where(eq(transferItems.transferId, depositId));
  for (const { id } of offers) await withdrawTransfer(tx, id, { reason: 'depositReversed' }, nowMs);
}
