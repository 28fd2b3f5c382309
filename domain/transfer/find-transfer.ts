import { and, eq } from 'drizzle-orm';
import type { Reader } from '#db/database.ts';
import { transfers } from '#db/schema/transfer.ts';

/** A user's own transfer, or nothing: another's id is as good as none. */
export async function findTransferOf(q: Reader, transferId: string, userId: string) {
  const [transfer] = await q
    .select()
    .from(transfers)
    .where(and(eq(transfers.id, transferId), eq(transfers.userId, userId)));
  return transfer ?? null;
}
