import type { BotDeps } from '#bot/deps.ts';
import { type FollowerPage, MAX_EMPTY_PAGES, type TwitchApi } from '#bot/twitch/api.ts';
import { TwitchFault, twitchFaultOf } from '#bot/twitch/twitch-fault.ts';
import { type NextDue, soonest } from '#bot/worker.ts';
import { recordAskedFollows, recordFollows } from '#domain/audience/record-follows.ts';
import { CHECKS_APART_MS, judgeList, type Shortfall } from '#domain/channel/absence.ts';
import {
  beginFollowReading,
  endFollowReading,
  recordFollowPage,
  restartFollowReading,
} from '#domain/channel/record-follow-list.ts';
import type { Follower } from '#domain/channel/upsert-follows.ts';
import { hour, minute } from '#domain/kernel/time.ts';
import { evaluateChannel } from '#domain/rule/evaluate-channel.ts';
import { listCandidates } from '#domain/rule/list-candidates.ts';
import type { WatchedChannel } from '#domain/rule/list-watched-channels.ts';
import { steadyMs } from '#platform/steady-time.ts';

/** The complete list shows who unfollowed, which no event reports. Domain time. */
const READ_EVERY_MS = 4 * hour;
/**
 * A list that takes longer than a few minutes to read is read less often, because claims check their viewer
 * anyway.
 */
const LONG_LIST = 20_000;
const READ_LONG_EVERY_MS = 24 * hour;
/**
 * Viewers who meet everything else are asked about at this interval: a list may leave them out, and a long one
 * takes its time. Domain time.
 */
const ASK_EVERY_MS = 10 * minute;
/** Number of viewers asked about at a time; the rest when it is next due. */
const MAX_ASKED = 200;
const MAX_PAUSE_MS = 30 * minute;
/**
 * Each channel's list is read with its own grant; reading more lists at once would take the store from
 * others.
 */
const MAX_AT_ONCE = 10;

interface Reading {
  /** Domain time; -Infinity before the first reading. */
  readAtMs: number;
  isLong: boolean;
  /** True if another reading has to confirm that somebody stopped following. */
  isToConfirm: boolean;
  shortfall: Shortfall | null;
  /**
   * Time of the last questions about viewers who meet everything else, and the last Twitch id asked about.
   * Domain time.
   */
  askedAtMs: number;
  askedUpTo: string;
  failures: number;
  /** System time. */
  retryAtMs: number;
  underWay: Promise<void> | null;
  /** Twitch ids of those who were answered not to follow since the page was asked for that comes next. */
  gone: Set<string>;
}

type Deps = Pick<BotDeps, 'db' | 'clock' | 'log'> & {
  api: Pick<TwitchApi, 'followerPage' | 'followedAtMs'>;
  onFault(channelId: string, fault: TwitchFault): Promise<void>;
  retryAfterMs: number;
  /** Called when something is due sooner than the last round assumed. */
  wake(): void;
};

/**
 * Maintains the follows of channels whose rules need them, by events and by the complete list every few
 * hours. The list is read page by page, and resumed after an error or a restart. The few viewers who meet
 * everything else are asked about one by one.
 */
export function readFollows(deps: Deps) {
  const { db, clock, log, onFault, retryAfterMs, wake } = deps;
  const readings = new Map<string, Reading>();

  const attempt = async (channelId: string, reading: Reading, signal: AbortSignal): Promise<void> => {
    try {
      if (listInMs(reading, clock.now()) <= 0) await readList(deps, channelId, reading, signal);
      else await askFollows(deps, channelId, reading, signal);
    } catch (error) {
      if (!signal.aborted) await recordTrouble(channelId, reading, twitchFaultOf(error));
    }
  };

  const recordTrouble = async (channelId: string, reading: Reading, fault: TwitchFault) => {
    reading.retryAtMs = steadyMs() + Math.min(MAX_PAUSE_MS, retryAfterMs * 2 ** reading.failures);
    reading.failures += 1;
    log.warn({ channelId, code: fault.code, err: fault }, 'could not read the followers');
    await onFault(channelId, fault);
  };

  return {
    /** Starts the readings that are due, without waiting for them. */
    async round(channels: readonly WatchedChannel[], signal: AbortSignal): Promise<NextDue> {
      const needing = channels.filter((one) => one.needs.follow);
      const wanted = new Set(needing.map(({ id }) => id));
      for (const [channelId, { underWay }] of readings)
        if (!wanted.has(channelId) && !underWay) readings.delete(channelId);
      let running = [...readings.values()].filter(({ underWay }) => underWay).length;
      for (const { id, followsReadAtMs, followsListed } of needing) {
        const reading = readings.get(id) ?? newReading({ followsReadAtMs, followsListed });
        readings.set(id, reading);
        if (reading.underWay || dueInMs(reading, clock.now()) > 0 || running >= MAX_AT_ONCE) continue;
        running += 1;
        reading.underWay = attempt(id, reading, signal)
          .catch((error) => log.error({ err: error, channelId: id }, 'followers not recorded'))
          .finally(() => {
            reading.underWay = null;
            wake();
          });
      }
      const resting = [...readings.values()].filter(({ underWay }) => !underWay);
      return soonest(...resting.map((reading) => dueInMs(reading, clock.now())));
    },
    /** Records a follow from an event. */
    async handleFollow(channelId: string, follower: Follower): Promise<void> {
      if (readings.has(channelId)) await recordFollows(db, { channelId, followers: [follower] }, clock.now());
    },
    /** Takes the answer that somebody does not follow, which its asker records; an older page does not undo it. */
    handleNoFollow({ channelId, twitchId }: { channelId: string; twitchId: string }): void {
      const reading = readings.get(channelId);
      if (reading?.underWay) reading.gone.add(twitchId);
    },
    /** Resolves when the running readings have ended. */
    async settle(): Promise<void> {
      await Promise.all([...readings.values()].map(({ underWay }) => underWay));
    },
  };
}

/** Asks about viewers who meet everything else, one by one, if they are due. */
async function askFollows(
  { db, clock, log, api }: Deps,
  channelId: string,
  reading: Reading,
  signal: AbortSignal,
): Promise<void> {
  const nowMs = clock.now();
  if (reading.askedAtMs + ASK_EVERY_MS > nowMs) return;
  const scope = { channelId, missingOn: 'follow', after: reading.askedUpTo, limit: MAX_ASKED } as const;
  const candidates = await listCandidates(db.read, scope, nowMs);
  const followers: Follower[] = [];
  for (const twitchId of candidates) {
    if (signal.aborted) break;
    const followedAtMs = await api.followedAtMs(channelId, twitchId);
    if (followedAtMs !== null) followers.push({ twitchId, followedAtMs });
    reading.askedUpTo = twitchId;
  }
  const qualified = await recordAskedFollows(db, { channelId, followers, askedAtMs: nowMs }, clock.now());
  if (signal.aborted) return;
  reading.askedAtMs = nowMs;
  if (candidates.length < MAX_ASKED) reading.askedUpTo = '';
  log.info(
    { channelId, asked: candidates.length, followers: followers.length, qualified },
    'followers asked',
  );
}

/** The pages of a list so far. */
interface Pages {
  /** Null if an earlier reading read the first ones. */
  rows: number | null;
  total: number;
  /** Number of empty pages at the end. */
  empty: number;
}

/**
 * Judges a list that was read to its end. Throws if it is shorter than its number, unless it stays so. Returns
 * whether it proves who does not follow.
 */
function judgePages({ rows, total }: Pages, reading: Reading, nowMs: number): boolean {
  if (rows === null) return false;
  const { is, proves, shortfall } = judgeList({ rows, total }, reading.shortfall, nowMs);
  reading.shortfall = shortfall;
  if (is === 'complete' || proves || (is === 'settled' && rows > 0)) return proves;
  // Without the permission Twitch answers with the number only.
  if (rows === 0)
    throw new TwitchFault('accessRefused', 'Twitch lists no followers, although there are some');
  throw new TwitchFault('unavailable', `the list has ${rows} of ${total} followers`);
}

/** Adds a page, and returns the cursor to go on from. An empty page that has one is not the end. */
function countPage(pages: Pages, { followers, cursor, total }: FollowerPage): string | null {
  if (pages.rows !== null) pages.rows += followers.length;
  pages.total = Math.min(pages.total, total);
  pages.empty = followers.length === 0 ? pages.empty + 1 : 0;
  return pages.empty > MAX_EMPTY_PAGES ? null : cursor;
}

/** Reads the list to its end, from where an earlier reading was interrupted. */
async function readList(deps: Deps, channelId: string, reading: Reading, signal: AbortSignal): Promise<void> {
  const { db, clock, log } = deps;
  const list = await beginFollowReading(db, { channelId }, clock.now());
  const pages: Pages = { rows: list.cursor === null ? 0 : null, total: Number.POSITIVE_INFINITY, empty: 0 };
  do {
    reading.gone.clear();
    const page = await deps.api.followerPage(channelId, list.cursor).catch(async (error) => {
      if (list.cursor !== null && twitchFaultOf(error).code === 'refused')
        await restartFollowReading(db, list);
      throw error;
    });
    list.cursor = countPage(pages, page);
    const followers = page.followers.filter(({ twitchId }) => !reading.gone.has(twitchId));
    await recordFollowPage(db, list, followers);
    if (list.cursor !== null) reading.failures = 0;
    reading.isLong = page.total > LONG_LIST;
    if (list.cursor !== null) await askFollows(deps, channelId, reading, signal);
    if (signal.aborted) return;
  } while (list.cursor !== null);
  const proves = judgePages(pages, reading, clock.now());
  const { followers, missing } = await endFollowReading(db, list, { proves });
  Object.assign(reading, { readAtMs: list.begunAtMs, failures: 0, retryAtMs: 0, isToConfirm: missing > 0 });
  const qualified = await evaluateChannel(db, channelId, clock.now());
  log.info({ channelId, followers, qualified }, 'followers read');
}

function listInMs({ readAtMs, isLong, isToConfirm }: Reading, nowMs: number): number {
  if (isLong) return readAtMs + READ_LONG_EVERY_MS - nowMs;
  return readAtMs + (isToConfirm ? CHECKS_APART_MS : READ_EVERY_MS) - nowMs;
}

function dueInMs(reading: Reading, nowMs: number): number {
  const askInMs = reading.askedAtMs + ASK_EVERY_MS - nowMs;
  return Math.max(Math.min(listInMs(reading, nowMs), askInMs), reading.retryAtMs - steadyMs());
}

type Known = Pick<WatchedChannel, 'followsReadAtMs' | 'followsListed'>;

/** Follows may have been missed before a start, so the list is read again, unless it is long. */
function newReading({ followsReadAtMs, followsListed }: Known): Reading {
  const isLong = (followsListed ?? 0) > LONG_LIST;
  return {
    readAtMs: isLong ? (followsReadAtMs ?? Number.NEGATIVE_INFINITY) : Number.NEGATIVE_INFINITY,
    isLong,
    isToConfirm: false,
    shortfall: null,
    askedAtMs: Number.NEGATIVE_INFINITY,
    askedUpTo: '',
    failures: 0,
    retryAtMs: 0,
    underWay: null,
    gone: new Set(),
  };
}
