import { eq } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { transfers } from '#db/schema/transfer.ts';
import { minute } from '#domain/time.ts';
import { advanceTransfer } from '#domain/transfer/advance-transfer.ts';

/** Clean polls, spaced over about a minute, that prove a doubtful offer does not exist. */
export const POLLS_TO_PROVE_ABSENCE = 2;

/**
 * A complete, successful poll of the bot's sent offers did not show an uncertain transfer's offer, and its assets still
 * lie in the inventory they would leave. The second time it is proven absent and goes back into the queue.
 */
export async function reportAbsence(database: Database, transferId: string, nowMs: number): Promise<boolean> {
  return database.transaction(async (tx) => {
    const [transfer] = await tx
      .select({ state: transfers.state, cleanPolls: transfers.cleanPolls })
      .from(transfers)
      .where(eq(transfers.id, transferId));
    if (transfer?.state !== 'uncertain') return false;
    if (transfer.cleanPolls + 1 >= POLLS_TO_PROVE_ABSENCE)
      return advanceTransfer(tx, transferId, { event: 'provenAbsent', runAtMs: nowMs }, nowMs);
    await tx
      .update(transfers)
      .set({ cleanPolls: transfer.cleanPolls + 1, runAtMs: nowMs + minute })
      .where(eq(transfers.id, transferId));
    return false;
  });
}
