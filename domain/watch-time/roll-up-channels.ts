import { and, eq, gte, lt, sql } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { channels, watchDays } from '#db/schema/channel.ts';
import { channelLock } from '#domain/reward/serve-waiting.ts';
import { dayOf, isTooOld, rollUp } from '#domain/watch-time/roll-up.ts';

/**
 * Rolls up the channels that were watched and are off at the day's turn: a live one does it by its next reading, and one
 * that nobody watched since has nothing to roll up. Days that are too old are forgotten there as well. Returns how many.
 */
export async function rollUpChannels(database: Database, nowMs: number): Promise<number> {
  const { read } = database;
  const isDue = and(lt(channels.rolledUpToMs, dayOf(nowMs)), sql`not ${channels.live}`);
  const watched = sql`${channels.watchedUntilMs} >= ${channels.rolledUpToMs}`;
  // With both ends PostgreSQL expects few days, and finds them in the index of days.
  const isOldDay = and(gte(watchDays.dayMs, 0), isTooOld(nowMs));
  const withOldDays = read
    .selectDistinct({ id: watchDays.channelId })
    .from(watchDays)
    .where(isOldDay)
    .as('with_old_days');
  const due = await read
    .select({ id: channels.id })
    .from(channels)
    .where(and(watched, isDue))
    .unionAll(
      read
        .select({ id: channels.id })
        .from(withOldDays)
        .innerJoin(channels, eq(channels.id, withOldDays.id))
        .where(isDue),
    );
  let rolled = 0;
  for (const id of new Set(due.map((channel) => channel.id))) {
    const opened = await database.transaction(
      async (tx) => {
        const [channel] = await tx
          .select({ id: channels.id, rolledUpToMs: channels.rolledUpToMs })
          .from(channels)
          .where(eq(channels.id, id));
        return channel ? rollUp(tx, channel, nowMs) : false;
      },
      { lock: channelLock(id) },
    );
    if (opened) rolled++;
  }
  return rolled;
}
