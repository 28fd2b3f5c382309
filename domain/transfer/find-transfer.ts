import { and, eq } from 'drizzle-orm';
import type { Reader } from '#db/database.ts';
import { transfers } from '#db/schema/transfer.ts';

/** Finds one of the user's own transfers; null if it does not exist or belongs to someone else. */
export async function findTransferOf(q: Reader, transferId: string, userId: string) {
  const [transfer] = await q
    .select()
    .from(transfers)
    .where(and(eq(transfers.id, transferId), eq(transfers.userId, userId)));
  return transfer ?? null;
}
