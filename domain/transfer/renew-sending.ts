import type { Database, Tx } from '#db/database.ts';
import { transfers } from '#db/schema/transfer.ts';
import { SENDING_LEASE_MS } from './lease-transfers.ts';
import { hasLease, type Sending } from './report-sending.ts';

/**
 * Begins a transfer's lease anew, once it is ready to be sent. Returns false if it was lost meanwhile: then the
 * transfer counts as possibly sent, is looked for on Steam, and must not be sent. System time.
 */
export async function renewSending(db: Database, sending: Sending, systemMs: number): Promise<boolean> {
  const renew = async (tx: Tx) =>
    tx
      .update(transfers)
      .set({ leaseUntilMs: systemMs + SENDING_LEASE_MS })
      .where(hasLease(sending))
      .returning({ id: transfers.id });
  return (await db.transaction(renew, { quiet: true })).length === 1;
}
