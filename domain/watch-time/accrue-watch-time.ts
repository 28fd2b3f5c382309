import { and, eq, exists, sql } from 'drizzle-orm';
import type { Database, Tx } from '#db/database.ts';
import { bigint, listOf, numberAt } from '#db/dialect.ts';
import { channels, type WatchGapReason, watchTimes } from '#db/schema/channel.ts';
import { rules } from '#db/schema/rule.ts';
import { statement } from '#db/statement.ts';
import { addToDay } from '#domain/channel/count-day.ts';
import { channelLock } from '#domain/locks.ts';
import { serveInRounds } from '#domain/reward/serve-waiting.ts';
import { firstCheckAt } from '#domain/rule/conditions/next-check.ts';
import { evaluateDue, evaluateManyDue } from '#domain/rule/evaluate-due.ts';
import { finishOpening, isOpening } from '#domain/rule/open-rule.ts';
import type { Qualified } from '#domain/rule/qualify.ts';
import { minute, second } from '#domain/time.ts';
import { dayOf, rollUp } from '#domain/watch-time/roll-up.ts';
import { endGapsAhead, recordGap } from './record-gap.ts';
import { recordViewerGaps } from './record-viewer-gaps.ts';

/** A longer interval between two polls does not prove who stayed: it is recorded as a gap. */
export const MAX_INTERVAL_MS = 2 * minute + 30 * second;

/**
 * Whether a live channel's cursor is further ahead than an interval that counts: the host's clock was, and has been put
 * right. What a cursor is ahead by less was credited, and is waited for.
 */
export const isAhead = (
  { live, watchedUntilMs }: { live: boolean; watchedUntilMs: number | null },
  nowMs: number,
): boolean => live && (watchedUntilMs ?? 0) - nowMs > MAX_INTERVAL_MS;

/** The keys of a set or a map: a viewer who rejoins during paging is on two pages, and earns once. */
export interface DistinctIds {
  keys(): Iterable<string>;
}

/** A reading of a live channel's chatters. */
export interface ChattersReading {
  channelId: string;
  /** The stream that was live at the reading. */
  streamId: string;
  twitchIds: DistinctIds;
  /** Who was there too, but in more live channels at once than count. */
  elsewhereIds?: readonly string[];
  /** Why the interval before this reading may not count. */
  gapReason?: WatchGapReason;
}

export interface Accrued {
  /** Seconds credited to each viewer; 0 if the interval did not count or was already counted. */
  seconds: number;
  qualified: number;
}

/**
 * Credits the interval since the last reading to every listed viewer in one statement, then evaluates viewers who
 * passed a threshold and promises rewards, all in one transaction; what is too much for one follows in others.
 * The channel's cursor moves by a guarded update, so two processes that read at once count the interval once. A rule
 * that is being opened is opened first: its viewers' watch time must not change until all of it is taken down.
 */
export async function accrueWatchTime(
  database: Database,
  reading: ChattersReading,
  nowMs: number,
): Promise<Accrued> {
  const { channelId } = reading;
  for (;;) {
    const accrued = await accrue(database, reading, nowMs);
    if (accrued === 'opening') {
      await finishOpening(database, channelId, nowMs);
      continue;
    }
    const { seconds, evaluated } = accrued;
    if (evaluated === 'many')
      return { seconds, qualified: await evaluateManyDue(database, channelId, nowMs) };
    await serveInRounds(database, channelId, evaluated.left, nowMs);
    return { seconds, qualified: evaluated.qualified };
  }
}

const nobody: Qualified = { qualified: 0, left: [] };

/** What a reading did in its transaction. */
interface InOneGo {
  seconds: number;
  evaluated: Qualified | 'many';
}

function accrue(database: Database, reading: ChattersReading, nowMs: number): Promise<InOneGo | 'opening'> {
  return database.transaction(
    async (tx) => {
      const interval = await takeInterval(tx, reading, nowMs);
      if (interval === 'opening') return interval;
      if (interval === null) return { seconds: 0, evaluated: nobody };
      const seconds = await countedSeconds(tx, reading, interval);
      if (seconds === 0) return { seconds, evaluated: nobody };
      await creditByDay(tx, reading, interval, seconds);
      await recordElsewhere(tx, reading, interval);
      return { seconds, evaluated: await evaluateDue(tx, reading.channelId, nowMs) };
    },
    { lock: channelLock(reading.channelId) },
  );
}

interface Interval {
  fromMs: number;
  untilMs: number;
  /** The first day not rolled up yet. */
  rolledUpToMs: number | null;
  /** Whether it has watch time yet. */
  hasUnrolledTime: boolean;
}

const readCursor = statement('watch_cursor', (tx) =>
  tx
    .select({
      live: channels.live,
      streamId: channels.streamId,
      wentOfflineAtMs: channels.wentOfflineAtMs,
      watchedUntilMs: channels.watchedUntilMs,
      rolledUpToMs: channels.rolledUpToMs,
      hasUnrolledTime: channels.hasUnrolledTime,
      opening: exists(
        tx
          .select({ one: sql`1` })
          .from(rules)
          .where(and(eq(rules.channelId, channels.id), isOpening)),
      ).mapWith(Boolean),
    })
    .from(channels)
    .where(eq(channels.id, sql.placeholder('channelId'))),
);

/** Replaces a null cursor, which would make the comparison fail. */
const NO_CURSOR = -1;

const moveCursor = statement('watch_cursor_moved', (tx) =>
  tx
    .update(channels)
    .set({ watchedUntilMs: numberAt('untilMs') })
    .where(
      and(
        eq(channels.id, sql.placeholder('channelId')),
        sql`coalesce(${channels.watchedUntilMs}, ${bigint(NO_CURSOR)}) = ${numberAt('fromMs')}`,
      ),
    )
    .returning({ id: channels.id }),
);

/**
 * Moves the cursor, unless a rule is being opened. Null: nothing to count yet (the first reading of a stream), or another process counted it. A
 * reading after the stream's end counts up to the end. A cursor that the host's clock left ahead is put right.
 */
async function takeInterval(
  tx: Tx,
  { channelId, streamId }: ChattersReading,
  nowMs: number,
): Promise<Interval | 'opening' | null> {
  const [channel] = await readCursor(tx, { channelId });
  if (!channel || channel.streamId !== streamId) return null;
  if (channel.opening) return 'opening';
  const { watchedUntilMs, rolledUpToMs, hasUnrolledTime } = channel;
  const endMs = channel.live ? nowMs : Math.min(nowMs, channel.wentOfflineAtMs ?? 0);
  if (watchedUntilMs !== null && isAhead({ live: channel.live, watchedUntilMs }, nowMs)) {
    await moveCursor(tx, { channelId, untilMs: nowMs, fromMs: watchedUntilMs });
    await endGapsAhead(tx, channelId, nowMs);
    return null;
  }
  if (watchedUntilMs !== null && endMs - watchedUntilMs < second) return null;
  // The cursor moves by whole seconds; the rest belongs to the next interval.
  const untilMs = endMs - (watchedUntilMs === null ? 0 : (endMs - watchedUntilMs) % second);
  const moved = await moveCursor(tx, { channelId, untilMs, fromMs: watchedUntilMs ?? NO_CURSOR });
  return moved.length === 1 && watchedUntilMs !== null
    ? { fromMs: watchedUntilMs, untilMs, rolledUpToMs, hasUnrolledTime }
    : null;
}

async function countedSeconds(
  tx: Tx,
  { channelId, gapReason }: ChattersReading,
  { fromMs, untilMs }: Interval,
): Promise<number> {
  const tooLong = untilMs - fromMs > MAX_INTERVAL_MS;
  if (!tooLong && !gapReason) return (untilMs - fromMs) / second;
  await recordGap(tx, { channelId, fromMs, untilMs, reason: gapReason ?? 'notPolled' });
  return 0;
}

/** Splits an interval at midnight UTC: time before it is credited and rolled up first. */
async function creditByDay(
  tx: Tx,
  reading: ChattersReading,
  { fromMs, untilMs, rolledUpToMs, hasUnrolledTime }: Interval,
  seconds: number,
): Promise<void> {
  const { channelId } = reading;
  const twitchIds = [...reading.twitchIds.keys()];
  const channel = { id: channelId, rolledUpToMs };
  let isMarked = hasUnrolledTime;
  if (rolledUpToMs === null) await rollUp(tx, channel, fromMs);
  const openMs = rolledUpToMs ?? dayOf(fromMs);
  const turnMs = dayOf(untilMs);
  const yesterday = openMs === dayOf(fromMs) ? Math.floor(Math.max(0, turnMs - fromMs) / second) : 0;
  if (yesterday > 0) await credit(tx, channelId, twitchIds, yesterday, openMs);
  if (openMs < turnMs && (await rollUp(tx, { ...channel, rolledUpToMs: openMs }, untilMs))) isMarked = false;
  const rest = seconds - yesterday;
  if (rest === 0) return;
  await credit(tx, channelId, twitchIds, rest, Math.max(openMs, turnMs));
  if (!isMarked) await markUnrolled(tx, { channelId });
}

const markUnrolled = statement('channel_unrolled', (tx) =>
  tx
    .update(channels)
    .set({ hasUnrolledTime: true })
    .where(eq(channels.id, sql.placeholder('channelId'))),
);

const addSeconds = statement('watch_seconds', (tx) =>
  tx
    .insert(watchTimes)
    .select(
      sql`select cast(${sql.placeholder('channelId')} as text), present.value, ${numberAt('seconds')}, ${firstCheckAt(tx, sql.placeholder('channelId'))}, ${bigint(0)} from ${listOf(sql.placeholder('twitchIds'), 'present')} where true` as never,
    )
    .onConflictDoUpdate({
      target: [watchTimes.channelId, watchTimes.twitchId],
      set: { seconds: sql`${watchTimes.seconds} + excluded.seconds` },
    }),
);

/** Adds the interval to all viewers of a channel in one statement, and to the channel's day. */
async function credit(
  tx: Tx,
  channelId: string,
  twitchIds: readonly string[],
  seconds: number,
  dayMs: number,
): Promise<void> {
  await addSeconds(tx, { channelId, twitchIds: JSON.stringify(twitchIds), seconds });
  const watchSeconds = seconds * twitchIds.length;
  await addToDay(tx, { channelId, atMs: dayMs, watchSeconds, liveSeconds: seconds });
}

/** Who earned nothing here is known here all the same, so that the channel's rules are on their page with the reason. */
async function recordElsewhere(
  tx: Tx,
  { channelId, elsewhereIds = [] }: ChattersReading,
  { fromMs, untilMs }: Interval,
): Promise<void> {
  const began = await recordViewerGaps(tx, { channelId, twitchIds: elsewhereIds, fromMs, untilMs });
  if (began.length > 0) await addSeconds(tx, { channelId, twitchIds: JSON.stringify(began), seconds: 0 });
}
