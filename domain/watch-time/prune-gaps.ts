import { asc, lt, sql } from 'drizzle-orm';
import type { Database, Tx } from '#db/database.ts';
import { viewerGaps, watchGaps } from '#db/schema/channel.ts';
import { day } from '#domain/kernel/time.ts';

/** Time that gaps are stored; viewers see the last fourteen days. */
const RETENTION_MS = 30 * day;
/** Rows deleted per transaction, so that other writes get in between. */
const ROWS_AT_ONCE = 2000;

/** Deletes gaps that are no longer shown, of channels and of viewers. Returns how many. */
export async function pruneGaps(db: Database, nowMs: number): Promise<number> {
  const beforeMs = nowMs - RETENTION_MS;
  const ofChannels = await inSteps(db, async (tx) => {
    const next = tx
      .select({ channelId: watchGaps.channelId, fromMs: watchGaps.fromMs })
      .from(watchGaps)
      .where(lt(watchGaps.fromMs, beforeMs))
      .orderBy(asc(watchGaps.fromMs))
      .limit(ROWS_AT_ONCE);
    return tx
      .delete(watchGaps)
      .where(sql`(${watchGaps.channelId}, ${watchGaps.fromMs}) in ${next}`)
      .returning({ fromMs: watchGaps.fromMs });
  });
  const { twitchId, channelId, fromMs } = viewerGaps;
  const ofViewers = await inSteps(db, async (tx) => {
    const next = tx
      .select({ twitchId, channelId, fromMs })
      .from(viewerGaps)
      .where(lt(fromMs, beforeMs))
      .orderBy(asc(fromMs))
      .limit(ROWS_AT_ONCE);
    return tx
      .delete(viewerGaps)
      .where(sql`(${twitchId}, ${channelId}, ${fromMs}) in ${next}`)
      .returning({ fromMs });
  });
  return ofChannels + ofViewers;
}

async function inSteps(db: Database, deleteSome: (tx: Tx) => Promise<readonly unknown[]>): Promise<number> {
  let pruned = 0;
  for (let last = ROWS_AT_ONCE; last === ROWS_AT_ONCE; pruned += last)
    last = (await db.transaction(deleteSome)).length;
  return pruned;
}
