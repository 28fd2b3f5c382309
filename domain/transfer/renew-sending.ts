import { and, eq } from 'drizzle-orm';
import type { Database, Tx } from '#db/database.ts';
import { is } from '#db/dialect.ts';
import { transfers } from '#db/schema/transfer.ts';
import { SENDING_LEASE_MS } from './lease-transfers.ts';

/**
 * Begins a transfer's lease anew, once it is ready to be sent. Returns false if it was lost meanwhile: then the
 * transfer counts as possibly sent, is looked for on Steam, and must not be sent. System time.
 */
export async function renewSending(
  db: Database,
  { transferId, holder }: { transferId: string; holder: string },
  systemMs: number,
): Promise<boolean> {
  const isOurs = and(
    eq(transfers.id, transferId),
    is(transfers.state, 'sending'),
    eq(transfers.leaseHolder, holder),
  );
  const renew = async (tx: Tx) =>
    tx
      .update(transfers)
      .set({ leaseUntilMs: systemMs + SENDING_LEASE_MS })
      .where(isOurs)
      .returning({ id: transfers.id });
  return (await db.transaction(renew, { quiet: true })).length === 1;
}
