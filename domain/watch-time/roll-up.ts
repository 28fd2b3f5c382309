import { and, eq, lt, type SQL, sql } from 'drizzle-orm';
import type { Tx } from '#db/database.ts';
import { bigint } from '#db/dialect.ts';
import { channels, watchDays, watchTimes } from '#db/schema/channel.ts';
import { day } from '#domain/time.ts';

/** How many days of history are stored. */
export const RETENTION_DAYS = 92;

/** The first millisecond of a moment's UTC day. */
export const dayOf = (ms: number): number => ms - (ms % day);

/** Matches days beyond the retention time. */
export const isTooOld = (nowMs: number): SQL => lt(watchDays.dayMs, dayOf(nowMs) - RETENTION_DAYS * day);

/**
 * Once `nowMs` is in a later day, writes the time watched since the last roll-up as the history of its day and opens
 * the new day. Runs in the caller's transaction under the channel lock; it must run before time is credited, so that
 * unrolled time always belongs to one day. The first call on a channel only opens the day, since the date of earlier
 * time is unknown. Returns whether it opened a day.
 */
export async function rollUp(
  tx: Tx,
  channel: { id: string; rolledUpToMs: number | null },
  nowMs: number,
): Promise<boolean> {
  const today = dayOf(nowMs);
  if ((channel.rolledUpToMs ?? 0) >= today) return false;
  const grown = and(
    eq(watchTimes.channelId, channel.id),
    sql`${watchTimes.seconds} > ${watchTimes.rolledSeconds}`,
  );
  if (channel.rolledUpToMs !== null) {
    await tx.insert(watchDays).select(
      tx
        .select({
          channelId: watchTimes.channelId,
          dayMs: bigint(channel.rolledUpToMs).as('day_ms'),
          twitchId: watchTimes.twitchId,
          seconds: sql`${watchTimes.seconds} - ${watchTimes.rolledSeconds}`.as('seconds'),
        })
        .from(watchTimes)
        .where(grown) as never,
    );
    await tx.delete(watchDays).where(and(eq(watchDays.channelId, channel.id), isTooOld(nowMs)));
  }
  await tx
    .update(watchTimes)
    .set({ rolledSeconds: sql`${watchTimes.seconds}` })
    .where(grown);
  await tx
    .update(channels)
    .set({ rolledUpToMs: today, hasUnrolledTime: false })
    .where(eq(channels.id, channel.id));
  return true;
}
