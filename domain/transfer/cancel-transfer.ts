import { and, eq, inArray } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { transfers } from '#db/schema/transfer.ts';
import { done, type Outcome, refuse } from '#domain/outcome.ts';
import { advanceTransfer } from '#domain/transfer/advance-transfer.ts';
import { findTransferOf } from '#domain/transfer/find-transfer.ts';
import { lockOfTransfer } from '#domain/transfer/report-transfer.ts';

/**
 * Takes a transfer back at its asker's wish: at once while it is queued; when it may be on Steam already, the bot is
 * asked to cancel the offer there and Steam's word decides.
 */
export async function cancelTransfer(
  database: Database,
  { transferId, userId }: { transferId: string; userId: string },
  nowMs: number,
): Promise<Outcome<{ cancelled: boolean }, 'notFound' | 'tooLate'>> {
  const lock = await lockOfTransfer(database, transferId);
  return database.transaction(async (tx) => {
    if (!(await findTransferOf(tx, transferId, userId))) return refuse('notFound');
    if (await advanceTransfer(tx, transferId, { event: 'withdrawn' }, nowMs))
      return done({ cancelled: true });
    const asked = await tx
      .update(transfers)
      .set({ cancelWanted: true })
      .where(
        and(
          eq(transfers.id, transferId),
          inArray(transfers.state, ['sending', 'uncertain', 'unconfirmed', 'sent']),
        ),
      )
      .returning({ id: transfers.id });
    return asked.length > 0 ? done({ cancelled: false }) : refuse('tooLate');
  }, lock);
}
