import { and, eq } from 'drizzle-orm';
import type { Database, Tx } from '#db/database.ts';
import { is } from '#db/dialect.ts';
import { transfers } from '#db/schema/transfer.ts';
import type { TransferChange } from './advance-transfer.ts';
import type { LeasedTransfer } from './lease-transfers.ts';
import { applyReport } from './report-transfer.ts';
import { type TransferTx, transferTransaction } from './transfer-lock.ts';

/** One attempt of one process to send an offer. */
export interface Sending extends Pick<LeasedTransfer, 'attempts'> {
  transferId: string;
  holder: string;
}

/**
 * Applies the result of sending an offer, if this attempt still has its lease. Returns false otherwise: the transfer
 * counts as possibly sent since, or another process sends it, and an offer of this attempt is found by the search for
 * it. A result that comes late would else name an offer as the one that another attempt made. `alsoStore` is stored in the
 * same transaction, also if the lease has ended.
 */
export const reportSending = (
  db: Database,
  sending: Sending,
  change: TransferChange,
  nowMs: number,
  alsoStore: (tx: Tx) => Promise<void> = async () => {},
): Promise<boolean> =>
  transferTransaction(db, sending.transferId, async (tx) => {
    const isApplied =
      (await endLease(tx, sending)) && (await applyReport(tx, sending.transferId, change, nowMs));
    await alsoStore(tx);
    return isApplied;
  });

/** Matches the transfer while this attempt has its lease. */
export const hasLease = ({ transferId, attempts, holder }: Sending) =>
  and(
    eq(transfers.id, transferId),
    is(transfers.state, 'sending'),
    eq(transfers.leaseHolder, holder),
    eq(transfers.attempts, attempts),
  );

/** Ends the attempt's lease, which also locks the row. Returns false if the attempt has none. */
async function endLease(tx: TransferTx, sending: Sending): Promise<boolean> {
  const ended = await tx
    .update(transfers)
    .set({ leaseHolder: null, leaseUntilMs: 0 })
    .where(hasLease(sending))
    .returning({ id: transfers.id });
  return ended.length === 1;
}
