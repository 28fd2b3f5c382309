import type { BotDeps } from '#bot/deps.ts';
import type { Chatter, TwitchApi } from '#bot/twitch/api.ts';
import { knownBots } from '#bot/twitch/channel/known-bots.ts';
import type { ReadWatched } from '#bot/twitch/channel/watched-channels.ts';
import { type TwitchFault, twitchFaultOf } from '#bot/twitch/twitch-fault.ts';
import { type NextDue, soonest } from '#bot/worker.ts';
import type { Database } from '#db/database.ts';
import type { WatchGapReason } from '#db/schema/channel.ts';
import { type Excluded, listExcluded } from '#domain/channel/list-excluded.ts';
import type { WatchedChannel } from '#domain/channel/list-watched-channels.ts';
import { recordExcludedIds } from '#domain/channel/record-excluded-ids.ts';
import { minute, second } from '#domain/time.ts';
import { accrueWatchTime } from '#domain/watch-time/accrue-watch-time.ts';

const READ_EVERY_MS = minute;
/** After trouble, an interval up to this long was still read in time; a longer one does not count. Domain time. */
const MAX_INTERVAL_AFTER_TROUBLE_MS = 90 * second;
/** So long after a stream's end its chat still tells who was there; later the rest of the stream is a gap. Domain time. */
const MAX_DELAY_AFTER_END_MS = 2 * minute;

interface Trouble {
  reason: WatchGapReason;
  failures: number;
  /** System time. */
  retryAtMs: number;
}

type StreamedChannel = WatchedChannel & { streamId: string };

type Deps = Pick<BotDeps, 'database' | 'clock' | 'log'> & {
  api: Pick<TwitchApi, 'chattersOf'>;
  /** Told when a channel's list could not be read. */
  onFault(channelId: string, fault: TwitchFault): Promise<void>;
  /** The logins of our own accounts in the chats. */
  ownLogins: readonly string[];
  roundEveryMs: number;
  retryAfterMs: number;
  watched: ReadWatched;
  /** Something is due sooner than the last round knew. */
  wake(): void;
};

/**
 * Reads who is in each live channel's chat once a minute of domain time and credits the interval. A round begins only a
 * few reads, the longest awaited first, so that many channels spread over the minute by themselves. The end of a stream
 * is read at once, so that its last part counts as well.
 */
export function watchChatters(deps: Deps) {
  const { database, clock, log, api, onFault, ownLogins, roundEveryMs, retryAfterMs, watched, wake } = deps;
  const reading = new Map<string, Promise<void>>();
  const troubles = trackTroubles(retryAfterMs);

  const read = async (channel: StreamedChannel): Promise<void> => {
    const nowMs = clock.now();
    const endMs = channel.wentOfflineAtMs ?? nowMs;
    const tooLate = nowMs - endMs > MAX_DELAY_AFTER_END_MS;
    let chatters: Chatter[] = [];
    try {
      if (!tooLate) chatters = await api.chattersOf(channel.id);
    } catch (error) {
      await recordTrouble(channel.id, twitchFaultOf(error));
      return;
    }
    const trouble = troubles.end(channel.id);
    const late = endMs - (channel.watchedUntilMs ?? endMs) > MAX_INTERVAL_AFTER_TROUBLE_MS;
    const reason = trouble?.reason ?? (tooLate ? 'notPolled' : null);
    const accrued = await accrueWatchTime(
      database,
      {
        channelId: channel.id,
        streamId: channel.streamId,
        twitchIds: await listEarners(database, channel.id, viewersAmong(chatters, channel.id, ownLogins)),
        ...(reason && (late || tooLate) && { gapReason: reason }),
      },
      nowMs,
    );
    log.debug({ channelId: channel.id, chatters: chatters.length, ...accrued }, 'chatters were read');
  };

  const recordTrouble = async (channelId: string, fault: TwitchFault) => {
    const { failures } = troubles.note(channelId, fault);
    log.warn({ channelId, code: fault.code, failures, err: fault }, 'the chatters could not be read');
    await onFault(channelId, fault);
  };

  const isReadable = (channel: WatchedChannel): channel is StreamedChannel =>
    channel.countsWatching && channel.streamId !== null && !reading.has(channel.id);

  const readInMs = (channel: StreamedChannel): NextDue => {
    const unreadInMs = unreadIn(channel, clock.now());
    return unreadInMs === null ? null : Math.max(unreadInMs, troubles.retryAtMs(channel.id) - Date.now());
  };

  return {
    /** Begins the reads that are due and fit into this round; they end by themselves. */
    async round(): Promise<NextDue> {
      const channels = await watched();
      const due = channels.filter(isReadable).filter((channel) => (readInMs(channel) ?? 1) <= 0);
      for (const channel of longestWaiting(due, readsPerRound(channels, roundEveryMs))) {
        const ended = read(channel)
          .catch((error) => log.error({ err: error, channelId: channel.id }, 'a reading was not counted'))
          .finally(() => {
            reading.delete(channel.id);
            wake();
          });
        reading.set(channel.id, ended);
      }
      return soonest(...channels.filter(isReadable).map(readInMs));
    },
    /** The channel's grant was found dead elsewhere: what is missed until there is a new one has this reason. */
    permissionLost: (channelId: string): void => troubles.permissionLost(channelId),
    /** Resolves when the reads under way have ended. */
    async settle(): Promise<void> {
      await Promise.all(reading.values());
    },
  };
}

/** How many reads a round may begin: twice what spreads all live channels over the minute. */
function readsPerRound(channels: readonly WatchedChannel[], roundEveryMs: number): number {
  const live = channels.filter((channel) => channel.live).length;
  return Math.max(1, Math.ceil((2 * live * roundEveryMs) / READ_EVERY_MS));
}

const longestWaiting = <C extends WatchedChannel>(due: readonly C[], limit: number): C[] =>
  due.toSorted((one, other) => (one.watchedUntilMs ?? 0) - (other.watchedUntilMs ?? 0)).slice(0, limit);

/** What stands in the way of reading each channel, and when it is tried again: after twice as long each time. */
function trackTroubles(retryAfterMs: number) {
  const troubles = new Map<string, Trouble>();
  return {
    note(channelId: string, fault: TwitchFault): Trouble {
      const failures = (troubles.get(channelId)?.failures ?? 0) + 1;
      const reason = fault.retry === 'afterHuman' ? 'permissionLost' : 'twitchUnavailable';
      const retryAtMs = Date.now() + Math.min(minute, retryAfterMs * 2 ** (failures - 1));
      const trouble: Trouble = { reason, failures, retryAtMs };
      troubles.set(channelId, trouble);
      return trouble;
    },
    permissionLost(channelId: string): void {
      troubles.set(channelId, { reason: 'permissionLost', failures: 0, retryAtMs: 0 });
    },
    /** The channel was read: the trouble that there was, if any. */
    end(channelId: string): Trouble | undefined {
      const trouble = troubles.get(channelId);
      troubles.delete(channelId);
      return trouble;
    },
    retryAtMs: (channelId: string): number => troubles.get(channelId)?.retryAtMs ?? 0,
  };
}

/** Whose watching is credited. Notes whom a login of the excluded turned out to be. */
async function listEarners(
  database: Database,
  channelId: string,
  viewers: readonly Chatter[],
): Promise<string[]> {
  const { ids, seen } = excludedAmong(viewers, await listExcluded(database.read, channelId));
  if (seen.length > 0) await recordExcludedIds(database, { channelId, seen });
  return viewers.flatMap(({ twitchId }) => (ids.has(twitchId) ? [] : [twitchId]));
}

/**
 * In how many milliseconds a channel has something to be read: a live one once a minute, one that went off once more,
 * for what it streamed since the last reading. Null: not before it streams.
 */
function unreadIn({ live, watchedUntilMs, wentOfflineAtMs }: WatchedChannel, nowMs: number): NextDue {
  if (live) return (watchedUntilMs ?? 0) + READ_EVERY_MS - nowMs;
  return watchedUntilMs !== null && (wentOfflineAtMs ?? 0) - watchedUntilMs >= second ? 0 : null;
}

/** Who of a chat watches: without the broadcaster, bots, ourselves, and rows that Twitch sends without an id. */
function viewersAmong(
  chatters: readonly Chatter[],
  channelId: string,
  ownLogins: readonly string[],
): Chatter[] {
  const viewers = new Map<string, Chatter>();
  for (const { twitchId, login } of chatters) {
    const name = login.toLowerCase();
    if (twitchId && twitchId !== channelId && !ownLogins.includes(name) && !knownBots.has(name))
      viewers.set(twitchId, { twitchId, login: name });
  }
  return [...viewers.values()];
}

/**
 * Whom the broadcaster left out. A login is meant as who bears it when it is first seen in the chat; from then on the id
 * decides, so that neither a rename escapes it nor a login's next owner suffers from it.
 */
function excludedAmong(viewers: readonly Chatter[], excluded: readonly Excluded[]) {
  const ids = new Set(excluded.flatMap(({ twitchId }) => twitchId ?? []));
  const unseen = new Set(excluded.filter((one) => one.twitchId === null).map(({ login }) => login));
  const seen = viewers.filter(({ login, twitchId }) => unseen.has(login) && !ids.has(twitchId));
  return { ids: new Set([...ids, ...seen.map(({ twitchId }) => twitchId)]), seen };
}
