import { eq } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { longRounds } from '#db/schema/bot.ts';

/** Records that a worker has finished a round over everything. System time, like its intervals. */
export async function recordLongRound(db: Database, worker: string, systemMs: number): Promise<void> {
  const endedAtMs = systemMs;
  await db.transaction((tx) =>
    tx
      .insert(longRounds)
      .values({ worker, endedAtMs })
      .onConflictDoUpdate({ target: longRounds.worker, set: { endedAtMs } }),
  );
}

/**
 * Returns the milliseconds until the worker's next round is due, whichever process had the last one; 0 if it
 * is due.
 */
export async function untilLongRoundMs(
  { read }: Database,
  { worker, everyMs }: { worker: string; everyMs: number },
  systemMs: number,
): Promise<number> {
  const [last] = await read.select().from(longRounds).where(eq(longRounds.worker, worker));
  // A time ahead of now comes from a clock that was put back, and would delay the next round by as much.
  return last && last.endedAtMs <= systemMs ? Math.max(0, last.endedAtMs + everyMs - systemMs) : 0;
}
