import type { BotDeps } from '#bot/deps.ts';
import { type FollowerPage, MAX_EMPTY_PAGES, type TwitchApi } from '#bot/twitch/api.ts';
import { channelTurns, type Turn } from '#bot/twitch/channel/channel-turns.ts';
import { askAboutViewers } from '#bot/twitch/channel/viewer-questions.ts';
import { TwitchFault, twitchFaultOf } from '#bot/twitch/twitch-fault.ts';
import { type NextDue, soonest } from '#bot/worker.ts';
import { recordAskedFollows, recordFollows } from '#domain/audience/record-follows.ts';
import { CHECKS_APART_MS, judgeList, type Shortfall } from '#domain/channel/absence.ts';
import { type LastFollowList, listLastFollowLists } from '#domain/channel/list-last-follows.ts';
import {
  beginFollowReading,
  endFollowReading,
  recordFollowPage,
  restartFollowReading,
} from '#domain/channel/record-follow-list.ts';
import type { Follower } from '#domain/channel/upsert-follows.ts';
import { hour, minute } from '#domain/kernel/time.ts';
import { evaluateChannel } from '#domain/rule/evaluate-channel.ts';
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
  failures: number;
  /** Steady time. */
  retryAtMs: number;
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

  const recordTrouble = async (channelId: string, reading: Reading, fault: TwitchFault) => {
    reading.retryAtMs = steadyMs() + Math.min(MAX_PAUSE_MS, retryAfterMs * 2 ** reading.failures);
    reading.failures += 1;
    log.warn({ channelId, code: fault.code, err: fault }, 'could not read the followers');
    await onFault(channelId, fault);
  };

  const onTrouble = async (channelId: string, error: unknown) => {
    const reading = readings.get(channelId);
    if (reading) await recordTrouble(channelId, reading, twitchFaultOf(error));
  };

  const lists = channelTurns({ places: MAX_AT_ONCE, work: 'a list of followers', log, retryAfterMs, wake });
  const questions = askAboutViewers({ ...deps, missingOn: 'follow', onTrouble, ask: followQuestion(deps) });

  const readSafely = async (channelId: string, signal: AbortSignal): Promise<void> => {
    const reading = readings.get(channelId);
    if (!reading) return;
    try {
      await readList(deps, channelId, reading, signal);
    } catch (error) {
      if (!signal.aborted) await onTrouble(channelId, error);
    }
  };

  return {
    /** Starts the readings and questions that are due, without waiting for them. */
    async round(channels: readonly WatchedChannel[], signal: AbortSignal): Promise<NextDue> {
      const needing = channels.filter((one) => one.needs.follow);
      const wanted = new Set(needing.map(({ id }) => id));
      for (const channelId of readings.keys())
        if (!wanted.has(channelId) && !lists.isUnderWay(channelId)) readings.delete(channelId);
      const unknown = needing.flatMap(({ id }) => (readings.has(id) ? [] : id));
      for (const { id, ...last } of await listLastFollowLists(db.read, unknown))
        readings.set(id, newReading(last));
      const retryInMs = ({ retryAtMs }: Reading) => retryAtMs - steadyMs();
      const toRead = [...readings].map(([channelId, reading]): Turn => {
        const inMs = Math.max(listInMs(reading, clock.now()), retryInMs(reading));
        return { channelId, inMs };
      });
      const nextList = lists.start(toRead, (channelId) => readSafely(channelId, signal));
      const toAsk = [...readings].map(([channelId, reading]): Turn => {
        // A short list is soon read, and answers most questions.
        const isAnswered = reading.isLong || !lists.isUnderWay(channelId);
        return { channelId, inMs: isAnswered ? retryInMs(reading) : Number.POSITIVE_INFINITY };
      });
      return soonest(questions.round(toAsk, signal), nextList);
    },
    /** Records a follow from an event. */
    async handleFollow(channelId: string, follower: Follower): Promise<void> {
      if (readings.has(channelId)) await recordFollows(db, { channelId, followers: [follower] }, clock.now());
    },
    /** Takes the answer that somebody does not follow, which its asker records; an older page does not undo it. */
    handleNoFollow({ channelId, twitchId }: { channelId: string; twitchId: string }): void {
      const reading = readings.get(channelId);
      if (lists.isUnderWay(channelId)) reading?.gone.add(twitchId);
    },
    /** Resolves when the running readings have ended. */
    async settle(): Promise<void> {
      await Promise.all([lists.settle(), questions.settle()]);
    },
  };
}

/** Asks about one viewer and records a follow. */
const followQuestion =
  ({ db, clock, api }: Deps) =>
  async (channelId: string, twitchId: string): Promise<number> => {
    const askedAtMs = clock.now();
    const followedAtMs = await api.followedAtMs(channelId, twitchId);
    const followers = followedAtMs === null ? [] : [{ twitchId, followedAtMs }];
    return recordAskedFollows(db, { channelId, followers, askedAtMs }, clock.now());
  };

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
function judgePages({ rows, total }: Pages, reading: Reading): boolean {
  if (rows === null) return false;
  const { is, proves, shortfall } = judgeList({ rows, total }, reading.shortfall, steadyMs());
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
    const wasLong = reading.isLong;
    reading.isLong = page.total > LONG_LIST;
    if (reading.isLong && !wasLong) deps.wake();
    if (signal.aborted) return;
  } while (list.cursor !== null);
  const proves = judgePages(pages, reading);
  const { followers, missing } = await endFollowReading(db, list, { proves });
  Object.assign(reading, { readAtMs: list.begunAtMs, failures: 0, retryAtMs: 0, isToConfirm: missing > 0 });
  const qualified = await evaluateChannel(db, channelId, clock.now());
  log.info({ channelId, followers, qualified }, 'followers read');
}

function listInMs({ readAtMs, isLong, isToConfirm }: Reading, nowMs: number): number {
  if (isLong) return readAtMs + READ_LONG_EVERY_MS - nowMs;
  return readAtMs + (isToConfirm ? CHECKS_APART_MS : READ_EVERY_MS) - nowMs;
}

/** Follows may have been missed before a start, so the list is read again, unless it is long. */
function newReading({ followsReadAtMs, followsListed }: LastFollowList): Reading {
  const isLong = (followsListed ?? 0) > LONG_LIST;
  return {
    readAtMs: isLong ? (followsReadAtMs ?? Number.NEGATIVE_INFINITY) : Number.NEGATIVE_INFINITY,
    isLong,
    isToConfirm: false,
    shortfall: null,
    failures: 0,
    retryAtMs: 0,
    gone: new Set(),
  };
}
