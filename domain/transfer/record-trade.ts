import { and, eq, isNull } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { is } from '#db/dialect.ts';
import { transfers } from '#db/schema/transfer.ts';

/** Records the trade of an accepted transfer that was recorded without one, so that it can be watched. */
export async function recordTrade(
  db: Database,
  { transferId, tradeId }: { transferId: string; tradeId: string },
): Promise<void> {
  await db.transaction(async (tx) => {
    await tx
      .update(transfers)
      .set({ tradeId })
      .where(and(eq(transfers.id, transferId), is(transfers.state, 'accepted'), isNull(transfers.tradeId)));
  });
}
