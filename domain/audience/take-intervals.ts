import { and, asc, eq, exists, type SQLWrapper, sql } from 'drizzle-orm';
import type { Tx } from '#db/database.ts';
import { bigint, isAmong, locking, rowsOf } from '#db/dialect.ts';
import { channels, type ViewerGapReason, type WatchGapReason } from '#db/schema/channel.ts';
import { rules } from '#db/schema/rule.ts';
import { statement } from '#db/statement.ts';
import { countsStreams } from '#domain/condition/attendance.ts';
import { firstCheckSeconds } from '#domain/condition/next-check.ts';
import { dayOf, minute, second } from '#domain/kernel/time.ts';
import { isOpening } from '#domain/rule/open-rule.ts';

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
  readonly size: number;
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

/** A reading and its time. */
export interface TimedReading {
  reading: ChattersReading;
  nowMs: number;
}

/** Locks them too: the update that follows would lock them in any order. */
const readChannels = statement('watch_cursors', (tx) =>
  locking(
    tx
      .select({
        id: channels.id,
        live: channels.live,
        streamId: channels.streamId,
        wentOfflineAtMs: channels.wentOfflineAtMs,
        watchedUntilMs: channels.watchedUntilMs,
        lookedUntilMs: channels.lookedUntilMs,
        rolledUpToMs: channels.rolledUpToMs,
        openLiveSeconds: channels.openLiveSeconds,
        counted: channels.counted,
        version: channels.version,
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
      .where(isAmong(channels.id, sql.placeholder('channelIds')))
      .orderBy(asc(channels.id)),
  ),
);

/** A channel as it was before a reading. */
export type ChannelBefore = Awaited<ReturnType<typeof readChannels>>[number];

/** The interval that ends with a reading. */
export interface Interval {
  channel: ChannelBefore;
  reading: ChattersReading;
  nowMs: number;
  twitchIds: readonly string[];
  /** Its beginning; null if nothing was read of the channel before. */
  fromMs: number | null;
  untilMs: number;
  /** The seconds that count, all in one day; 0 if none do. */
  seconds: number;
  /** The day that these are in. */
  dayMs: number;
  /** True if it ends with that day and goes on in the next one. */
  isCut: boolean;
  /** True if the cursor, which the host's clock left ahead, is only put back. */
  isPutBack: boolean;
}

/** The interval is in a later day than the open one, which has to be rolled up first. */
interface Turning {
  /** The end of the interval: the days before that of this moment are rolled up. */
  rollUpUntilMs: number;
}

/** The reading's interval is taken, or has to wait for something, or there is nothing to take. */
export type Taken = Interval | Turning | 'opening' | null;

/**
 * Moves the cursors of channels by one reading each, in one statement. Nothing is taken of a channel on which a rule is
 * being opened or the day turns, if there is nothing to count yet (the first reading of a stream), or if another
 * process counted it.
 */
export async function takeIntervals(tx: Tx, timed: readonly TimedReading[]): Promise<Taken[]> {
  const channelIds = JSON.stringify(timed.map(({ reading }) => reading.channelId));
  const found = new Map((await readChannels(tx, { channelIds })).map((channel) => [channel.id, channel]));
  const taken = timed.map((one) => intervalOf(found.get(one.reading.channelId), one));
  const rows = taken.flatMap((one) => (isInterval(one) ? [moveOf(one)] : []));
  if (rows.length === 0) return taken;
  const moved = new Set(idsOf(await moveCursors(tx, { rows: JSON.stringify(rows) })));
  return taken.map((one) => (isInterval(one) && !moved.has(one.channel.id) ? null : one));
}

/** Types the answer of an update that joins rows. */
const idsOf = (moved: unknown): string[] => (moved as { id: string }[]).map(({ id }) => id);

export const isInterval = (taken: Taken): taken is Interval =>
  taken !== null && taken !== 'opening' && 'channel' in taken;

/** Returns the interval up to a reading. One after the stream's end counts up to the end. */
function intervalOf(channel: ChannelBefore | undefined, { reading, nowMs }: TimedReading): Taken {
  if (!channel || channel.streamId !== reading.streamId) return null;
  if (channel.opening) return 'opening';
  const { live, watchedUntilMs, rolledUpToMs } = channel;
  const endMs = live ? nowMs : Math.min(nowMs, channel.wentOfflineAtMs ?? 0);
  const twitchIds = [...reading.twitchIds.keys()];
  const isPutBack = watchedUntilMs !== null && isAhead({ live, watchedUntilMs }, nowMs);
  const taken = { channel, reading, nowMs, twitchIds, fromMs: watchedUntilMs, isPutBack };
  const nothing = { seconds: 0, dayMs: 0, isCut: false };
  if (watchedUntilMs === null || isPutBack)
    return { ...taken, ...nothing, untilMs: isPutBack ? nowMs : endMs };
  if (endMs - watchedUntilMs < second) return null;
  // The cursor moves by whole seconds; the rest belongs to the next interval.
  const untilMs = endMs - ((endMs - watchedUntilMs) % second);
  const isCounted = !reading.gapReason && untilMs - watchedUntilMs <= MAX_INTERVAL_MS;
  if (!isCounted) return { ...taken, ...nothing, untilMs };
  const part = partInDay({ fromMs: watchedUntilMs, untilMs }, rolledUpToMs);
  if (part === 'later') return { rollUpUntilMs: untilMs };
  return { ...taken, ...part, seconds: (part.untilMs - watchedUntilMs) / second };
}

/**
 * Returns the part of an interval that is in the channel's open day. `later` means none of it, so that day
 * has to be rolled up first.
 */
function partInDay(
  { fromMs, untilMs }: { fromMs: number; untilMs: number },
  rolledUpToMs: number | null,
): Pick<Interval, 'untilMs' | 'dayMs' | 'isCut'> | 'later' {
  const openMs = rolledUpToMs ?? dayOf(fromMs);
  const turnMs = dayOf(untilMs);
  if (turnMs <= openMs) return { untilMs, dayMs: openMs, isCut: false };
  const seconds = openMs === dayOf(fromMs) ? Math.floor((turnMs - fromMs) / second) : 0;
  if (seconds > 0) return { untilMs: fromMs + seconds * second, dayMs: openMs, isCut: true };
  return rolledUpToMs === null ? { untilMs, dayMs: turnMs, isCut: false } : 'later';
}

/** Stands for a null cursor, with which the comparison would fail. */
const NO_CURSOR = -1;

/** Returns a row for `moveCursors`. The people are those whom the reading found, whether their time counts or not. */
function moveOf({ channel, reading, twitchIds, fromMs, untilMs, seconds }: Interval): unknown[] {
  const viewers = twitchIds.length;
  const { watchedElsewhere = [], excluded = [], bot = [] } = reading.uncounted ?? {};
  const people = viewers + watchedElsewhere.length + excluded.length;
  return [channel.id, fromMs ?? NO_CURSOR, untilMs, seconds, viewers, people, bot.length];
}

const counts = sql`moved.seconds > 0`;
/** Returns the moved value if the interval counts, and otherwise what is stored. */
const ifCounted = (moved: string, stored: SQLWrapper) =>
  sql`case when ${counts} then moved.${sql.identifier(moved)} else ${stored} end`;

const moveCursors = statement('watch_cursors_moved', (tx) =>
  tx
    .update(channels)
    .set({
      watchedUntilMs: sql`moved.until_ms`,
      lookedUntilMs: ifCounted('until_ms', channels.lookedUntilMs),
      lookedPeople: ifCounted('people', channels.lookedPeople),
      lookedBots: ifCounted('bots', channels.lookedBots),
      openWatchSeconds: sql`${channels.openWatchSeconds} + moved.viewers * moved.seconds`,
      openLiveSeconds: sql`${channels.openLiveSeconds} + moved.seconds`,
      hasUnrolledTime: sql`${channels.hasUnrolledTime} or ${counts}`,
      counted: sql`${channels.counted} + moved.seconds`,
      version: sql`${channels.version} + case when ${counts} then 1 else 0 end`,
    })
    .from(
      rowsOf(
        sql.placeholder('rows'),
        {
          channel: 'text',
          from_ms: 'bigint',
          until_ms: 'bigint',
          seconds: 'bigint',
          viewers: 'bigint',
          people: 'bigint',
          bots: 'bigint',
        },
        'moved',
      ) as never,
    )
    .where(
      and(
        sql`${channels.id} = moved.channel`,
        sql`coalesce(${channels.watchedUntilMs}, ${bigint(NO_CURSOR)}) = moved.from_ms`,
      ),
    )
    .returning({ id: channels.id }),
);
