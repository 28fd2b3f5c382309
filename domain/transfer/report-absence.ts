import { eq } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { transfers } from '#db/schema/transfer.ts';
import { minute, second } from '#domain/kernel/time.ts';
import { advanceTransfer } from '#domain/transfer/advance-transfer.ts';

/** This many clean polls, with a pause between them, prove that an uncertain offer does not exist. */
export const POLLS_TO_PROVE_ABSENCE = 2;

const FIRST_PAUSE_MS = 20 * second;
const MAX_PAUSE_MS = 30 * minute;

/** A lost answer may be an accident, so the second attempt comes at once; each further one waits longer. */
const pauseBeforeAttempt = (attempt: number): number =>
  attempt <= 2 ? 0 : Math.min(FIRST_PAUSE_MS * 2 ** (attempt - 3), MAX_PAUSE_MS);

/**
 * Records that a complete poll of the bot's sent offers did not contain an uncertain transfer's offer while its
 * assets are still in the sending inventory. After the required number of polls the transfer returns to the queue.
 * Until then the next poll comes after `pauseMs`. Returns whether the transfer is queued again.
 */
export async function reportAbsence(
  db: Database,
  transferId: string,
  nowMs: number,
  pauseMs: number = minute,
): Promise<boolean> {
  return db.transaction(async (tx) => {
    const [transfer] = await tx
      .select({ state: transfers.state, cleanPolls: transfers.cleanPolls, attempts: transfers.attempts })
      .from(transfers)
      .where(eq(transfers.id, transferId));
    if (transfer?.state !== 'uncertain') return false;
    if (transfer.cleanPolls + 1 >= POLLS_TO_PROVE_ABSENCE) {
      const runAtMs = nowMs + pauseBeforeAttempt(transfer.attempts + 1);
      return advanceTransfer(tx, transferId, { event: 'provenAbsent', runAtMs }, nowMs);
    }
    await tx
      .update(transfers)
      .set({ cleanPolls: transfer.cleanPolls + 1, runAtMs: nowMs + pauseMs })
      .where(eq(transfers.id, transferId));
    return false;
  });
}
