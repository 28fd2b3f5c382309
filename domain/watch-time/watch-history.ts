import { and, asc, count, eq, gt, gte, inArray, or, sql, sum } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { channels, watchDays, watchTimes } from '#db/schema/channel.ts';
import { statement } from '#db/statement.ts';
import { day } from '#domain/time.ts';
import { dayOf } from '#domain/watch-time/roll-up.ts';

/** Length of the history in UTC days, including today. */
export const WATCH_HISTORY_DAYS = 30;

export interface WatchHistory {
  /** Time watched by all viewers in these days. */
  seconds: number;
  /** Number of distinct viewers. */
  viewers: number;
  /** Days with watch time, earliest first. */
  days: { dayMs: number; viewers: number; seconds: number }[];
}

const recent = and(
  eq(watchDays.channelId, sql.placeholder('channelId')),
  gte(watchDays.dayMs, sql.placeholder('fromMs')),
);
const open = and(
  eq(watchTimes.channelId, sql.placeholder('channelId')),
  gt(watchTimes.seconds, watchTimes.rolledSeconds),
  gte(channels.rolledUpToMs, sql.placeholder('fromMs')),
);

const readRolled = statement('rolled_days', (q) =>
  q
    .select({ dayMs: watchDays.dayMs, viewers: count(), seconds: sum(watchDays.seconds).mapWith(Number) })
    .from(watchDays)
    .where(recent)
    .groupBy(watchDays.dayMs)
    .orderBy(asc(watchDays.dayMs)),
);

const readUnrolled = statement('unrolled_days', (q) =>
  q
    .select({
      dayMs: sql<number>`${channels.rolledUpToMs}`.mapWith(Number),
      viewers: count(),
      seconds: sql<number>`sum(${watchTimes.seconds} - ${watchTimes.rolledSeconds})`.mapWith(Number),
    })
    .from(watchTimes)
    .innerJoin(channels, eq(channels.id, watchTimes.channelId))
    .where(open)
    .groupBy(channels.rolledUpToMs),
);

const readViewers = statement('recent_viewers', (q) => {
  const inHistory = q.select({ id: watchDays.twitchId }).from(watchDays).where(recent);
  return q
    .select({ viewers: count() })
    .from(watchTimes)
    .innerJoin(channels, eq(channels.id, watchTimes.channelId))
    .where(
      and(
        eq(watchTimes.channelId, sql.placeholder('channelId')),
        or(open, inArray(watchTimes.twitchId, inHistory)),
      ),
    );
});

/** Returns a channel's watch time of the last days. Time not rolled up yet counts for its own day. */
export async function watchHistory(
  database: Database,
  { channelId }: { channelId: string },
  nowMs: number,
): Promise<WatchHistory> {
  const fromMs = dayOf(nowMs) - (WATCH_HISTORY_DAYS - 1) * day;
  const asked = { channelId, fromMs };
  const rolled = await readRolled(database.read, asked);
  const unrolled = await readUnrolled(database.read, asked);
  const [people] = await readViewers(database.read, asked);
  const days = [...rolled, ...unrolled].map((row) => ({ ...row, viewers: Number(row.viewers) }));
  return {
    seconds: days.reduce((total, { seconds }) => total + seconds, 0),
    viewers: Number(people?.viewers ?? 0),
    days,
  };
}
