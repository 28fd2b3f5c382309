import { eq } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { longRounds } from '#db/schema/bot.ts';

/** Records that a worker has read everything. `systemMs` is system time, as its intervals are. */
export async function recordLongRound(database: Database, worker: string, systemMs: number): Promise<void> {
  const endedAtMs = systemMs;
  await database.transaction((tx) =>
    tx
      .insert(longRounds)
      .values({ worker, endedAtMs })
      .onConflictDoUpdate({ target: longRounds.worker, set: { endedAtMs } }),
  );
}

/** Milliseconds until such a round is due again, whichever process had the last one; 0 if it is. */
export async function untilLongRoundMs(
  { read }: Database,
  { worker, everyMs }: { worker: string; everyMs: number },
  systemMs: number,
): Promise<number> {
  const [last] = await read.select().from(longRounds).where(eq(longRounds.worker, worker));
  // A clock that was put back would hold it up for as long.
  return last && last.endedAtMs <= systemMs ? Math.max(0, last.endedAtMs + everyMs - systemMs) : 0;
}
