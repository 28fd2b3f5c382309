import type { Database } from '#db/database.ts';
import { errorCode } from '#db/error-code.ts';
import { longRounds } from '#db/schema/bot.ts';

const PROOF = 'proof of writing';

/**
 * Writes one row, always the same, which a full disk, a lost connection or a read-only database refuses. Returns the
 * code of the refusal; null if the row is stored. System time.
 */
export async function proveWrites(db: Database, systemMs: number): Promise<string | null> {
  try {
    await db.transaction(
      (tx) =>
        tx
          .insert(longRounds)
          .values({ worker: PROOF, endedAtMs: systemMs })
          .onConflictDoUpdate({ target: longRounds.worker, set: { endedAtMs: systemMs } }),
      { quiet: true },
    );
    return null;
  } catch (error) {
    return errorCode(error) || 'unknown';
  }
}
