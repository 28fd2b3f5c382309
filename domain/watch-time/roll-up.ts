import { and, eq, lt, type SQL, sql } from 'drizzle-orm';
import type { Tx } from '#db/database.ts';
import { bigint } from '#db/dialect.ts';
import { channels, watchDays, watchTimes } from '#db/schema/channel.ts';
import { day } from '#domain/time.ts';

/** Nobody asks for days before these. */
export const RETENTION_DAYS = 92;

/** The first millisecond of the UTC day that a moment belongs to. */
export const dayOf = (ms: number): number => ms - (ms % day);

/** Days that nobody asks for any more. */
export const isTooOld = (nowMs: number): SQL => lt(watchDays.dayMs, dayOf(nowMs) - RETENTION_DAYS * day);

/**
 * Writes what was watched since the last roll-up as the history of the day that it belongs to, once `nowMs` is in a later
 * one, and opens that. Runs in the caller's transaction, under the channel's lock: whoever credits time calls it first,
 * so that what is not rolled up was always watched on one day. The first call on a channel opens the day and writes
 * nothing, because of what was counted before nobody knows when. Returns whether it opened a day.
 */
export async function rollUp(
  tx: Tx,
  channel: { id: string; rolledUpToMs: number | null },
  nowMs: number,
): Promise<boolean> {
  const today = dayOf(nowMs);
  if (channel.rolledUpToMs !== null && channel.rolledUpToMs >= today) return false;
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
  await tx.update(channels).set({ rolledUpToMs: today }).where(eq(channels.id, channel.id));
  return true;
}
