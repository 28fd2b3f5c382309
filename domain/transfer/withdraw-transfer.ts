import { and, eq, sql } from 'drizzle-orm';
import type { Tx } from '#db/database.ts';
import { within } from '#db/dialect.ts';
import { transfers } from '#db/schema/transfer.ts';
import { advanceTransfer } from '#domain/transfer/advance-transfer.ts';

/** Why it was asked back before, if it was; what troubled its sending is no reason. */
const reasonSoFar = sql`case when ${transfers.cancelWanted} then ${transfers.lastError} end`;

/**
 * Takes a transfer back: at once while it is queued; when it may be on Steam already, the bot is asked to cancel the
 * offer there and Steam's word decides. `reason` is a code of ours that will stand at its end. Too late: it has ended,
 * or is held by Steam after both sides agreed.
 */
export async function withdrawTransfer(
  tx: Tx,
  transferId: string,
  { reason = null }: { reason?: string | null },
  nowMs: number,
): Promise<'withdrawn' | 'asked' | 'tooLate'> {
  const withdrawn = { event: 'withdrawn', ...(reason !== null && { error: reason }) } as const;
  if (await advanceTransfer(tx, transferId, withdrawn, nowMs)) return 'withdrawn';
  const asked = await tx
    .update(transfers)
    .set({ cancelWanted: true, lastError: reason ?? reasonSoFar })
    .where(
      and(
        eq(transfers.id, transferId),
        within(transfers.state, ['sending', 'uncertain', 'unconfirmed', 'sent']),
      ),
    )
    .returning({ id: transfers.id });
  return asked.length > 0 ? 'asked' : 'tooLate';
}
