import { and, count, eq, gt, gte, inArray, sql } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { channelDays, channels } from '#db/schema/channel.ts';
import { sumsWithOpenDay } from '#domain/channel/count-day.ts';
import { day, dayOf } from '#domain/kernel/time.ts';

const LATELY_DAYS = 30;
/** Fewer days say little about the next one. */
const MIN_DAYS = 5;

/**
 * Returns the average seconds that channels have lately been live on days with a stream; channels with
 * fewer than five such days are left out.
 */
export async function getStreamLengths(
  { read }: Database,
  channelIds: readonly string[],
  nowMs: number,
): Promise<Map<string, number>> {
  if (channelIds.length === 0) return new Map();
  const rows = await read
    .select({
      channelId: channelDays.channelId,
      seconds: sql<number>`avg(${sumsWithOpenDay.liveSeconds})`.mapWith(Number),
    })
    .from(channelDays)
    .leftJoin(channels, eq(channels.id, channelDays.channelId))
    .where(
      and(
        inArray(channelDays.channelId, [...channelIds]),
        gte(channelDays.dayMs, dayOf(nowMs) - LATELY_DAYS * day),
        gt(sumsWithOpenDay.liveSeconds, 0),
      ),
    )
    .groupBy(channelDays.channelId)
    .having(gte(count(), MIN_DAYS));
  return new Map(rows.map(({ channelId, seconds }) => [channelId, seconds]));
}
