import { and, asc, eq, gt, type SQL, sql } from 'drizzle-orm';
import type { Database, Tx } from '#db/database.ts';
import { bigint } from '#db/dialect.ts';
import { channels, watchDays, watchTimes } from '#db/schema/channel.ts';
import { addToDay } from '#domain/channel/count-day.ts';
import { channelLock } from '#domain/kernel/locks.ts';
import { pacedTransactions } from '#domain/kernel/paced-transactions.ts';
import { dayOf } from '#domain/kernel/time.ts';
import { inSlice, type ViewerSlice } from '#domain/kernel/viewer-slice.ts';
import { watched } from '#domain/watch-time/watched.ts';

/** Viewers rolled up in one transaction. */
const AT_ONCE = 10_000;
const AT_LEAST = 500;

const hasGrown = (channelId: string): SQL | undefined =>
  and(eq(watchTimes.channelId, channelId), sql`${watched} > ${watchTimes.rolledSeconds}`);

/** Opens the first day of a channel. Time counted earlier belongs to no day, because its date is unknown. */
export async function openFirstDay(tx: Tx, channelId: string, dayMs: number): Promise<void> {
  await tx.update(watchTimes).set({ rolledSeconds: watched }).where(hasGrown(channelId));
  await tx.update(channels).set({ rolledUpToMs: dayMs }).where(eq(channels.id, channelId));
}

/** Adds the open day's sums to the channel's numbers of that day, and opens another day. */
async function turnDay(tx: Tx, channelId: string, open: OpenDay, dayMs: number): Promise<void> {
  const { rolledUpToMs, watchSeconds, liveSeconds } = open;
  if (watchSeconds > 0 || liveSeconds > 0)
    await addToDay(tx, { channelId, atMs: rolledUpToMs, watchSeconds, liveSeconds });
  await tx
    .update(channels)
    .set({ rolledUpToMs: dayMs, hasUnrolledTime: false, openWatchSeconds: 0, openLiveSeconds: 0 })
    .where(eq(channels.id, channelId));
}

/** A channel's day that is not rolled up yet. */
interface OpenDay {
  rolledUpToMs: number;
  watchSeconds: number;
  liveSeconds: number;
}

/**
 * Once `nowMs` is in a later day, writes the time watched since the last roll-up as the history of its day, and opens
 * the new day; in short transactions. No time of the new day may be credited before it is open, so that unrolled time
 * always belongs to one day; if interrupted, the next call goes on. Returns whether this call opened the day.
 */
export async function rollUp(db: Database, channelId: string, nowMs: number): Promise<boolean> {
  const transaction = pacedTransactions(db, channelLock(channelId), AT_ONCE, AT_LEAST);
  let isOpened = false;
  for (let after: string | null = ''; after !== null; ) {
    const from: string = after;
    const rolled = await transaction((tx, size) => rollUpSome(tx, { channelId, after: from, size }, nowMs));
    after = rolled.last;
    isOpened = rolled.isOpened;
  }
  return isOpened;
}

/** Rolls up one slice, and returns its last Twitch id; null at the end, or if the day is open already. */
async function rollUpSome(
  tx: Tx,
  { channelId, after, size }: { channelId: string; after: string; size: number },
  nowMs: number,
): Promise<{ last: string | null; isOpened: boolean }> {
  const [channel] = await tx
    .select({
      rolledUpToMs: channels.rolledUpToMs,
      watchSeconds: channels.openWatchSeconds,
      liveSeconds: channels.openLiveSeconds,
    })
    .from(channels)
    .where(eq(channels.id, channelId));
  const dayMs = channel?.rolledUpToMs ?? null;
  if (!channel || dayMs === null || dayMs >= dayOf(nowMs)) return { last: null, isOpened: false };
  const [end] = await tx
    .select({ twitchId: watchTimes.twitchId })
    .from(watchTimes)
    .where(and(eq(watchTimes.channelId, channelId), gt(watchTimes.twitchId, after)))
    .orderBy(asc(watchTimes.twitchId))
    .limit(1)
    .offset(size - 1);
  const last = end?.twitchId ?? null;
  await writeDay(tx, { channelId, dayMs }, { after, last });
  if (last !== null) return { last, isOpened: false };
  await turnDay(tx, channelId, { ...channel, rolledUpToMs: dayMs }, dayOf(nowMs));
  return { last: null, isOpened: true };
}

/**
 * Adds to the day, because a late reading may have credited more of it to somebody who was rolled up already.
 */
async function writeDay(
  tx: Tx,
  { channelId, dayMs }: { channelId: string; dayMs: number },
  slice: ViewerSlice,
): Promise<void> {
  const grown = and(hasGrown(channelId), inSlice(slice, watchTimes.twitchId));
  await tx
    .insert(watchDays)
    .select(
      tx
        .select({
          channelId: watchTimes.channelId,
          dayMs: bigint(dayMs).as('day_ms'),
          twitchId: watchTimes.twitchId,
          seconds: sql`${watched} - ${watchTimes.rolledSeconds}`.as('seconds'),
        })
        .from(watchTimes)
        .where(grown) as never,
    )
    .onConflictDoUpdate({
      target: [watchDays.channelId, watchDays.dayMs, watchDays.twitchId],
      set: { seconds: sql`${watchDays.seconds} + excluded.seconds` },
    });
  await tx.update(watchTimes).set({ rolledSeconds: watched }).where(grown);
}
