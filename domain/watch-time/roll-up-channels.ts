import { and, eq, gte, lt, sql } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { channels, watchDays } from '#db/schema/channel.ts';
import { dayOf } from '#domain/kernel/time.ts';
import { isTooOld, rollUp } from '#domain/watch-time/roll-up.ts';

/**
 * Rolls up offline channels with watch time after the day ends; a live channel rolls up with its next reading. Also
 * deletes their expired days. Returns how many channels were rolled up.
 */
export async function rollUpChannels(db: Database, nowMs: number): Promise<number> {
  const { read } = db;
  const isDue = and(lt(channels.rolledUpToMs, dayOf(nowMs)), sql`not ${channels.live}`);
  // With both bounds PostgreSQL expects few days and uses the index on days.
  const isOldDay = and(gte(watchDays.dayMs, 0), isTooOld(nowMs));
  const withOldDays = read
    .selectDistinct({ id: watchDays.channelId })
    .from(watchDays)
    .where(isOldDay)
    .as('with_old_days');
  const due = await read
    .select({ id: channels.id })
    .from(channels)
    .where(and(sql`${channels.hasUnrolledTime}`, isDue))
    .unionAll(
      read
        .select({ id: channels.id })
        .from(withOldDays)
        .innerJoin(channels, eq(channels.id, withOldDays.id))
        .where(isDue),
    );
  let rolled = 0;
  for (const id of new Set(due.map((channel) => channel.id))) if (await rollUp(db, id, nowMs)) rolled++;
  return rolled;
}
