import { asc, lt, sql } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { watchGaps } from '#db/schema/channel.ts';
import { day } from '#domain/time.ts';

/** How long gaps are stored; viewers see the last fourteen days. */
const RETENTION_MS = 30 * day;
/** Rows deleted per transaction, so that other writes get in between. */
const ROWS_AT_ONCE = 2000;

/** Deletes gaps that are no longer shown. Returns how many. */
export async function pruneGaps(database: Database, nowMs: number): Promise<number> {
  let pruned = 0;
  for (let last = ROWS_AT_ONCE; last === ROWS_AT_ONCE; pruned += last)
    last = await database.transaction(async (tx) => {
      const next = tx
        .select({ channelId: watchGaps.channelId, fromMs: watchGaps.fromMs })
        .from(watchGaps)
        .where(lt(watchGaps.fromMs, nowMs - RETENTION_MS))
        .orderBy(asc(watchGaps.channelId), asc(watchGaps.fromMs))
        .limit(ROWS_AT_ONCE);
      const deleted = await tx
        .delete(watchGaps)
        .where(sql`(${watchGaps.channelId}, ${watchGaps.fromMs}) in ${next}`)
        .returning({ fromMs: watchGaps.fromMs });
      return deleted.length;
    });
  return pruned;
}
