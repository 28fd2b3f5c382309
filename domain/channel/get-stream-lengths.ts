import { and, gt, gte, inArray, sql } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { channelDays } from '#db/schema/channel.ts';
import { day } from '#domain/time.ts';
import { dayOf } from '#domain/watch-time/roll-up.ts';

const LATELY_DAYS = 30;

/** Returns how long channels have lately been live per day with a stream, in seconds; only for those that have been. */
export async function getStreamLengths(
  { read }: Database,
  channelIds: readonly string[],
  nowMs: number,
): Promise<Map<string, number>> {
  if (channelIds.length === 0) return new Map();
  const rows = await read
    .select({
      channelId: channelDays.channelId,
      seconds: sql<number>`avg(${channelDays.liveSeconds})`.mapWith(Number),
    })
    .from(channelDays)
    .where(
      and(
        inArray(channelDays.channelId, [...channelIds]),
        gte(channelDays.dayMs, dayOf(nowMs) - LATELY_DAYS * day),
        gt(channelDays.liveSeconds, 0),
      ),
    )
    .groupBy(channelDays.channelId);
  return new Map(rows.map(({ channelId, seconds }) => [channelId, seconds]));
}
