import { and, eq, exists, type SQLWrapper, sql } from 'drizzle-orm';
import type { Database, Tx } from '#db/database.ts';
import { bigint, listOf, numberAt, valueAt } from '#db/dialect.ts';
import {
  channels,
  type ViewerGapReason,
  viewerGapReasons,
  type WatchGapReason,
  watchTimes,
} from '#db/schema/channel.ts';
import { rules } from '#db/schema/rule.ts';
import { statement } from '#db/statement.ts';
import { addToDay } from '#domain/channel/count-day.ts';
import { countAttendance, countsStreams } from '#domain/condition/attendance.ts';
import { firstCheckSeconds } from '#domain/condition/next-check.ts';
import { channelLock } from '#domain/kernel/locks.ts';
import { dayOf, minute, second } from '#domain/kernel/time.ts';
import { serveInRounds } from '#domain/reward/serve-waiting.ts';
import { evaluateDue, evaluateManyDue } from '#domain/rule/evaluate-due.ts';
import { finishOpening, isOpening } from '#domain/rule/open-rule.ts';
import type { Qualified } from '#domain/rule/qualify.ts';
import { endGapsAhead, recordGap } from '#domain/watch-time/record-gap.ts';
import { recordViewerGaps } from '#domain/watch-time/record-viewer-gaps.ts';
import { openFirstDay, rollUp } from '#domain/watch-time/roll-up.ts';

/** A longer interval between two readings does not prove who stayed, so it is recorded as a gap. */
export const MAX_INTERVAL_MS = 2 * minute + 30 * second;

/**
 * Returns whether a live channel's cursor is further ahead of now than an interval that counts: the host's
 * clock was ahead, and has been corrected. The time of a smaller lead is credited already, so nothing counts
 * until the clock gets there.
 */
export const isAhead = (
  { live, watchedUntilMs }: { live: boolean; watchedUntilMs: number | null },
  nowMs: number,
): boolean => live && (watchedUntilMs ?? 0) - nowMs > MAX_INTERVAL_MS;

/** The keys of a set or a map, because a viewer who rejoins during paging is on two pages, and earns once. */
export interface DistinctIds {
  keys(): Iterable<string>;
}

/** A reading of a live channel's chatters. */
export interface ChattersReading {
  channelId: string;
  /** The stream that was live at the reading. */
  streamId: string;
  twitchIds: DistinctIds;
  /** Those who were there but earn nothing, by the reason why. */
  uncounted?: Partial<Record<ViewerGapReason, readonly string[]>>;
  /** The reason why the interval before this reading does not count, if it does not. */
  gapReason?: WatchGapReason;
}

export interface Accrued {
  /** Seconds credited to each viewer; 0 if the interval did not count or was already counted. */
  seconds: number;
  qualified: number;
}

/**
 * Credits the interval since the last reading to every listed viewer in one statement, then evaluates viewers
 * who passed a threshold and promises rewards, all in one transaction; the rest of a large evaluation follows
 * in others. The channel's cursor moves by a guarded update, so two processes that read at once count the
 * interval once. An interval is cut at midnight UTC, and the day is rolled up before the rest is credited. A
 * rule that is being opened is opened first: its viewers' watch time must not change until all their
 * baselines are stored.
 */
export async function accrueWatchTime(
  db: Database,
  reading: ChattersReading,
  nowMs: number,
): Promise<Accrued> {
  const { channelId } = reading;
  const accrued = { seconds: 0, qualified: 0 };
  for (;;) {
    const step = await accrue(db, reading, nowMs);
    if (step === 'opening') await finishOpening(db, channelId, nowMs);
    else if ('rollUpUntilMs' in step) await rollUp(db, channelId, step.rollUpUntilMs);
    else {
      accrued.seconds += step.seconds;
      accrued.qualified += await finishEvaluation(db, channelId, step.evaluated, nowMs);
      if (!step.isCut) return accrued;
    }
  }
}

/**
 * Finishes an evaluation that was too large for the transaction. Returns the number of new qualifications.
 */
async function finishEvaluation(
  db: Database,
  channelId: string,
  evaluated: Qualified | 'many',
  nowMs: number,
): Promise<number> {
  if (evaluated === 'many') return evaluateManyDue(db, channelId, nowMs);
  await serveInRounds(db, channelId, evaluated.left, nowMs);
  return evaluated.qualified;
}

const nobody: Qualified = { qualified: 0, left: [] };

/** The results of a reading in one transaction. */
interface Step {
  seconds: number;
  evaluated: Qualified | 'many';
  /** True if the interval goes on in the next day. */
  isCut: boolean;
}
const nothing: Step = { seconds: 0, evaluated: nobody, isCut: false };

/** The interval is in a later day than the open one, which has to be rolled up first. */
interface Turning {
  /** The end of the interval: the days before that of this moment are rolled up. */
  rollUpUntilMs: number;
}

function accrue(db: Database, reading: ChattersReading, nowMs: number): Promise<Step | Turning | 'opening'> {
  const { channelId, gapReason } = reading;
  return db.transaction(
    async (tx) => {
      const twitchIds = [...reading.twitchIds.keys()];
      const interval = await takeInterval(tx, reading, twitchIds.length, nowMs);
      if (interval === null) return nothing;
      if (interval === 'opening' || 'rollUpUntilMs' in interval) return interval;
      const { fromMs, untilMs, dayMs, isCut } = interval;
      if (dayMs === null) {
        await recordGap(tx, { channelId, fromMs, untilMs, reason: gapReason ?? 'notPolled' });
        return nothing;
      }
      const seconds = (untilMs - fromMs) / second;
      await creditDay(tx, { channelId, twitchIds, seconds, untilMs }, interval, dayMs);
      if (interval.countsStreams) {
        const { streamNumber } = interval;
        await countAttendance(tx, { channelId, streamNumber, twitchIds, seconds });
      }
      await recordUncounted(tx, reading, interval);
      return { seconds, isCut, evaluated: await evaluateDue(tx, channelId, nowMs) };
    },
    { lock: channelLock(channelId) },
  );
}

interface Interval {
  fromMs: number;
  untilMs: number;
  /** The day that it belongs to; null if it does not count. */
  dayMs: number | null;
  /** True if it ends with its day and goes on in the next one. */
  isCut: boolean;
  /** The start of the open day, which is the first one not rolled up yet. */
  rolledUpToMs: number | null;
  /** True if the open day has watch time already. */
  hasUnrolledTime: boolean;
  /** True if the channel's sums of the open day begin with this interval. */
  beginsSums: boolean;
  /** The total at which a viewer without watch time on this channel is first checked. */
  firstCheckSeconds: number;
  streamNumber: number;
  /** True if a rule asks for streams. */
  countsStreams: boolean;
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
      openLiveSeconds: channels.openLiveSeconds,
      firstCheckSeconds: firstCheckSeconds(tx),
      streamNumber: channels.streamNumber,
      countsStreams: countsStreams(tx),
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

/** Stands for a null cursor, with which the comparison would fail. */
const NO_CURSOR = -1;

/** The sums that an interval adds if it does not count. */
const noSums = { watchSeconds: 0, liveSeconds: 0, people: 0, bots: 0 };

/** Returns the given number if the interval counts, and otherwise what is stored. */
const ifLooked = (name: string, stored: SQLWrapper) =>
  sql`case when ${numberAt('liveSeconds')} > 0 then ${numberAt(name)} else ${stored} end`;

const moveCursor = statement('watch_cursor_moved', (tx) =>
  tx
    .update(channels)
    .set({
      watchedUntilMs: numberAt('untilMs'),
      lookedUntilMs: ifLooked('untilMs', channels.lookedUntilMs),
      lookedPeople: ifLooked('people', channels.lookedPeople),
      lookedBots: ifLooked('bots', channels.lookedBots),
      openWatchSeconds: sql`${channels.openWatchSeconds} + ${numberAt('watchSeconds')}`,
      openLiveSeconds: sql`${channels.openLiveSeconds} + ${numberAt('liveSeconds')}`,
    })
    .where(
      and(
        eq(channels.id, sql.placeholder('channelId')),
        sql`coalesce(${channels.watchedUntilMs}, ${bigint(NO_CURSOR)}) = ${numberAt('fromMs')}`,
      ),
    )
    .returning({ id: channels.id }),
);

/**
 * Moves the cursor, unless a rule is being opened or the day turns. Null if there is nothing to count yet
 * (the first reading of a stream), or another process counted it. A reading after the stream's end counts up
 * to the end. Corrects a cursor that the host's clock left ahead.
 */
async function takeInterval(
  tx: Tx,
  reading: ChattersReading,
  viewers: number,
  nowMs: number,
): Promise<Interval | Turning | 'opening' | null> {
  const { channelId, streamId, gapReason } = reading;
  const [channel] = await readCursor(tx, { channelId });
  if (!channel || channel.streamId !== streamId) return null;
  if (channel.opening) return 'opening';
  const { watchedUntilMs, rolledUpToMs, hasUnrolledTime, firstCheckSeconds } = channel;
  const { streamNumber, countsStreams } = channel;
  const endMs = channel.live ? nowMs : Math.min(nowMs, channel.wentOfflineAtMs ?? 0);
  if (watchedUntilMs === null) {
    await moveCursor(tx, { channelId, untilMs: endMs, fromMs: NO_CURSOR, ...noSums });
    return null;
  }
  if (isAhead({ live: channel.live, watchedUntilMs }, nowMs)) {
    await moveCursor(tx, { channelId, untilMs: nowMs, fromMs: watchedUntilMs, ...noSums });
    await endGapsAhead(tx, channelId, nowMs);
    return null;
  }
  if (endMs - watchedUntilMs < second) return null;
  // The cursor moves by whole seconds; the rest belongs to the next interval.
  const whole = { fromMs: watchedUntilMs, untilMs: endMs - ((endMs - watchedUntilMs) % second) };
  const isCounted = !gapReason && whole.untilMs - whole.fromMs <= MAX_INTERVAL_MS;
  const part = isCounted ? partInDay(whole, rolledUpToMs) : { ...whole, dayMs: null, isCut: false };
  if (part === 'later') return { rollUpUntilMs: whole.untilMs };
  const { fromMs, untilMs } = part;
  const liveSeconds = (untilMs - fromMs) / second;
  const sums =
    part.dayMs === null
      ? noSums
      : { watchSeconds: viewers * liveSeconds, liveSeconds, ...countPresent(reading, viewers) };
  const moved = await moveCursor(tx, { channelId, fromMs, untilMs, ...sums });
  const beginsSums = channel.openLiveSeconds === 0;
  return moved.length === 1
    ? { ...part, rolledUpToMs, hasUnrolledTime, beginsSums, firstCheckSeconds, streamNumber, countsStreams }
    : null;
}

/** Counts the people whom a reading found, whether their time counts or not, and the accounts of bots. */
function countPresent({ uncounted = {} }: ChattersReading, viewers: number) {
  const { watchedElsewhere = [], excluded = [], bot = [] } = uncounted;
  return { people: viewers + watchedElsewhere.length + excluded.length, bots: bot.length };
}

type Part = Pick<Interval, 'fromMs' | 'untilMs' | 'dayMs' | 'isCut'>;

/**
 * Returns the part of an interval that is in the channel's open day. `later` means none of it, so that day
 * has to be rolled up first.
 */
function partInDay(
  { fromMs, untilMs }: Pick<Interval, 'fromMs' | 'untilMs'>,
  rolledUpToMs: number | null,
): Part | 'later' {
  const openMs = rolledUpToMs ?? dayOf(fromMs);
  const turnMs = dayOf(untilMs);
  if (turnMs <= openMs) return { fromMs, untilMs, dayMs: openMs, isCut: false };
  const seconds = openMs === dayOf(fromMs) ? Math.floor((turnMs - fromMs) / second) : 0;
  if (seconds > 0) return { fromMs, untilMs: fromMs + seconds * second, dayMs: openMs, isCut: true };
  return rolledUpToMs === null ? { fromMs, untilMs, dayMs: turnMs, isCut: false } : 'later';
}

interface Credit {
  channelId: string;
  twitchIds: readonly string[];
  seconds: number;
  untilMs: number;
}

/** Adds the interval to all viewers of a channel in one statement. */
async function creditDay(
  tx: Tx,
  { channelId, twitchIds, seconds, untilMs }: Credit,
  { rolledUpToMs, hasUnrolledTime, beginsSums, firstCheckSeconds }: Interval,
  dayMs: number,
): Promise<void> {
  if (rolledUpToMs === null) await openFirstDay(tx, channelId, dayMs);
  const ids = JSON.stringify(twitchIds);
  await addSeconds(tx, { channelId, twitchIds: ids, seconds, firstCheckSeconds, untilMs });
  if (rolledUpToMs === null || !hasUnrolledTime) await markUnrolled(tx, { channelId });
  // Readers find the open day's sums through that day's row, so it has to exist.
  if (beginsSums) await addToDay(tx, { channelId, atMs: dayMs });
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
      sql`select ${valueAt(watchTimes.channelId, 'channelId')}, present.value, ${valueAt(watchTimes.seconds, 'seconds')}, ${valueAt(watchTimes.nextCheckSeconds, 'firstCheckSeconds')}, 0, ${valueAt(watchTimes.countedUntilMs, 'untilMs')} from ${listOf(sql.placeholder('twitchIds'), 'present')} where true` as never,
    )
    .onConflictDoUpdate({
      target: [watchTimes.channelId, watchTimes.twitchId],
      set: {
        seconds: sql`${watchTimes.seconds} + excluded.seconds`,
        countedUntilMs: sql`coalesce(excluded.counted_until_ms, ${watchTimes.countedUntilMs})`,
      },
    }),
);

/** Records viewers who earned nothing here, so that their own page lists this channel's rules and says why. */
async function recordUncounted(
  tx: Tx,
  { channelId, uncounted = {} }: ChattersReading,
  { fromMs, untilMs, firstCheckSeconds }: Interval,
): Promise<void> {
  const begun: string[] = [];
  for (const reason of viewerGapReasons) {
    const twitchIds = uncounted[reason] ?? [];
    begun.push(...(await recordViewerGaps(tx, { channelId, twitchIds, fromMs, untilMs, reason })));
  }
  if (begun.length === 0) return;
  const twitchIds = JSON.stringify(begun);
  await addSeconds(tx, { channelId, twitchIds, seconds: 0, firstCheckSeconds, untilMs: null });
}
