import { eq } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { mails } from '#db/schema/outbox.ts';
import { transferItems } from '#db/schema/transfer.ts';

/** The assets of a transfer. */
export const listTransferAssets = (db: Database, transferId: string) =>
  db.read.select().from(transferItems).where(eq(transferItems.transferId, transferId));

/** The tokens in the mails to an address, oldest first. */
export async function mailedTokens(db: Database, email: string): Promise<string[]> {
  const rows = await db.read.select().from(mails).where(eq(mails.recipient, email)).orderBy(mails.id);
  return rows.map((row) => row.values.token ?? '');
}
