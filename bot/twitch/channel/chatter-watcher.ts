import type { BotDeps } from '#bot/deps.ts';
import type { HeldLease } from '#bot/leases.ts';
import { watchGaps, watchIntervals } from '#bot/metrics.ts';
import type { Slots } from '#bot/slots.ts';
import type { Chatter, TwitchApi } from '#bot/twitch/api.ts';
import { followSteps } from '#bot/twitch/channel/cursor-steps.ts';
import { type CursoredChannel, trackCursors } from '#bot/twitch/channel/cursors.ts';
import { gatherReadings } from '#bot/twitch/channel/gather-readings.ts';
import { type LookedUp, trackPresence } from '#bot/twitch/channel/presence.ts';
import { trackTroubles } from '#bot/twitch/channel/read-troubles.ts';
import type { ReadWatched } from '#bot/twitch/channel/watched-channels.ts';
import { TwitchFault, twitchFaultOf } from '#bot/twitch/twitch-fault.ts';
import { type NextDue, soonest } from '#bot/worker.ts';
import type { Database } from '#db/database.ts';
import type { WatchGapReason } from '#db/schema/channel.ts';
import { isAhead, MAX_INTERVAL_MS } from '#domain/audience/take-intervals.ts';
import type { Lease, LeaseName } from '#domain/bot/take-leases.ts';
import { slotOf } from '#domain/bot/take-slots.ts';
import { judgeList } from '#domain/channel/absence.ts';
import { type Excluded, listExcluded } from '#domain/channel/list-excluded.ts';
import { recordExcludedIds } from '#domain/channel/record-excluded-ids.ts';
import { recordReading, unreadReasonOf } from '#domain/channel/record-reading.ts';
import { minute, second } from '#domain/kernel/time.ts';
import { listPlaces } from '#domain/watch-time/list-places.ts';
import { steadyMs } from '#platform/steady-time.ts';

const READ_EVERY_MS = minute;
/** After failed reads, an interval up to this long still counts; a longer one is a gap. Domain time. */
const MAX_INTERVAL_AFTER_TROUBLE_MS = 90 * second;
/**
 * For this long after a stream's end its chat still shows who was there; after that, the rest of the stream
 * is a gap. Domain time.
 */
const MAX_DELAY_AFTER_END_MS = 2 * minute;

type StreamedChannel = CursoredChannel & { streamId: string };

type Deps = Pick<BotDeps, 'db' | 'clock' | 'log'> & {
  /** The slots of the watched channels; only their readings are recorded. */
  slots: Pick<Slots, 'leaseOf' | 'databaseFor' | 'areAllHere'>;
  api: Pick<TwitchApi, 'chattersOf'>;
  /** Called when a channel's chatters could not be read. */
  onFault(channelId: string, fault: TwitchFault): Promise<void>;
  /** Returns whether an account is known not to watch. */
  isBot(chatter: Chatter): boolean;
  /** Number of live channels in which an account may earn at once. */
  maxChannels: number;
  roundEveryMs: number;
  retryAfterMs: number;
  watched: ReadWatched;
  /** Called when something is due sooner than the last round assumed. */
  wake(): void;
};

/**
 * Reads who is in each live channel's chat once a minute of domain time and credits the interval. Each round starts
 * only a few reads, the longest waiting first, which spreads many channels over the minute. When a stream ends, its
 * chat is read at once so that its last part counts too.
 */
export function watchChatters(deps: Deps) {
  const { log, slots, roundEveryMs, retryAfterMs, wake } = deps;
  const presence = trackPresence(deps.maxChannels);
  const gathered = gatherReadings(deps);
  const reading = new Map<string, Promise<void>>();
  const troubles = trackTroubles(retryAfterMs);

  const cursors = trackCursors(deps);
  const steps = followSteps({ ...deps, cursors }, reading);
  const readChannel = chattersReader(deps, { presence, troubles, gathered });

  const isReadable = (channel: CursoredChannel): channel is StreamedChannel =>
    channel.countsWatching && channel.streamId !== null && !reading.has(channel.id);

  const readInMs = (channel: StreamedChannel, nowMs: number): NextDue => {
    const unreadInMs = unreadIn(channel, nowMs);
    return unreadInMs === null ? null : Math.max(unreadInMs, troubles.retryAtMs(channel.id) - steadyMs());
  };

  return {
    /** Starts the reads that are due and fit into this round, without waiting for them. */
    async round(): Promise<NextDue> {
      const channels = await steps.putBack();
      const nowMs = steps.now();
      // Put back meanwhile: until the cursors are too, no reading may begin.
      if (steps.arePending()) return 0;
      const isPresent = (channel: CursoredChannel) =>
        channel.live || reading.has(channel.id) || (isReadable(channel) && readInMs(channel, nowMs) !== null);
      const present = new Set(channels.filter(isPresent).map(({ id }) => id));
      // Readings go on in slots that are being given up.
      for (const id of reading.keys()) present.add(id);
      presence.limitTo(present);
      gathered.limitTo(present);
      troubles.limitTo(channels, reading);
      const due = channels.filter(isReadable).filter((channel) => (readInMs(channel, nowMs) ?? 1) <= 0);
      for (const channel of longestWaiting(due, readsPerRound(channels, roundEveryMs))) {
        const lease = slots.leaseOf(channel.id);
        if (!lease?.isHeld()) continue;
        const ended = readChannel(channel, nowMs, lease)
          .catch((error) => {
            // A full disk would cost calls of Twitch without end otherwise.
            const { failures } = troubles.add(channel.id, null);
            log.error({ err: error, channelId: channel.id, failures }, 'watch time not recorded');
          })
          .finally(() => {
            reading.delete(channel.id);
            cursors.clear(channel.id);
            wake();
          });
        reading.set(channel.id, ended);
      }
      return soonest(...channels.filter(isReadable).map((channel) => readInMs(channel, nowMs)));
    },
    /** Resolves when the running reads of a slot's channels have ended, and nothing is owed to these. */
    async settleSlot(name: LeaseName, lease: Lease): Promise<void> {
      const ends = [...reading].flatMap(([id, ended]) => (slotOf(id) === name ? [ended] : []));
      await steps.leave(lease, Promise.all(ends));
    },
    /** Resolves when the running reads have ended. */
    async settle(): Promise<void> {
      steps.stop();
      gathered.hurry();
      await Promise.all(reading.values());
    },
  };
}

interface Known {
  presence: ReturnType<typeof trackPresence>;
  troubles: ReturnType<typeof trackTroubles>;
  gathered: ReturnType<typeof gatherReadings>;
}

/** Reads a channel's list of chatters. Returns null if that failed, after recording why. */
function listReader({ slots, log, api, onFault }: Deps, troubles: Known['troubles']) {
  const recordTrouble = async (channelId: string, fault: TwitchFault): Promise<WatchGapReason> => {
    const reason = fault.retry === 'afterHuman' ? 'permissionLost' : 'twitchUnavailable';
    const { failures } = troubles.add(channelId, reason);
    log.warn({ channelId, code: fault.code, failures, err: fault }, 'could not read the chatters');
    await onFault(channelId, fault);
    return reason;
  };

  /** A list that is shorter than its own number lacks people who may be watching, so the reading failed. */
  const readAll = async ({ id, shortfall: known }: StreamedChannel, nowMs: number) => {
    try {
      const { chatters, total } = await api.chattersOf(id);
      const { is, proves, shortfall } = judgeList({ rows: chatters.length, total }, known, nowMs);
      if (is === 'complete' || proves) return { chatters, shortfall, fault: null };
      const message = `the list has ${chatters.length} of ${total} chatters`;
      return { chatters, shortfall, fault: new TwitchFault('unavailable', message) };
    } catch (error) {
      return { chatters: [], shortfall: known, fault: twitchFaultOf(error) };
    }
  };

  return async (channel: StreamedChannel, nowMs: number, lease: HeldLease): Promise<Chatter[] | null> => {
    const { id: channelId, shortfall: known } = channel;
    const { chatters, shortfall, fault } = await readAll(channel, nowMs);
    // Says nothing of Twitch or the channel; whoever has the lease reads it again.
    if (fault?.code === 'leaseEnded') return null;
    const reason = fault && (await recordTrouble(channelId, fault));
    const changed = {
      ...((shortfall?.short !== known?.short || shortfall?.sinceMs !== known?.sinceMs) && { shortfall }),
      ...(reason && reason !== unreadReasonOf(channel, nowMs) && { unread: { reason, sinceMs: nowMs } }),
    };
    // Another process may read the chat next.
    if (Object.keys(changed).length > 0)
      await recordReading(slots.databaseFor([lease]), { channelId, ...changed });
    return fault ? null : chatters;
  };
}

/** Reads a channel's chatters and credits the interval since the last reading, or records why it could not. */
function chattersReader(deps: Deps, { presence, troubles, gathered }: Known) {
  const { db, slots, log, isBot } = deps;
  const readList = listReader(deps, troubles);

  /** Looks up the other channels of those of whom this process does not know them. */
  const readPlaces = async (channelId: string, viewers: readonly string[], nowMs: number) => {
    const knowsAll = slots.areAllHere();
    const unsure = presence.unsure(channelId, viewers, knowsAll);
    if (knowsAll && unsure.length === 0) return null;
    return { asked: new Set(unsure), places: await listPlaces(db.read, unsure, nowMs) } satisfies LookedUp;
  };

  return async (channel: StreamedChannel, nowMs: number, lease: HeldLease): Promise<void> => {
    const endMs = channel.wentOfflineAtMs ?? nowMs;
    const tooLate = nowMs - endMs > MAX_DELAY_AFTER_END_MS;
    const chatters = tooLate ? [] : await readList(channel, nowMs, lease);
    if (!chatters) return;
    const trouble = troubles.of(channel.id);
    const intervalMs = endMs - (channel.watchedUntilMs ?? endMs);
    const late = intervalMs > MAX_INTERVAL_AFTER_TROUBLE_MS;
    const reason = trouble?.reason ?? unreadReasonOf(channel, nowMs) ?? (tooLate ? 'notPolled' : null);
    const gapReason = reason && (late || tooLate) ? reason : null;
    const { viewers, bots } = splitChatters(chatters, channel.id, isBot);
    const { earners, excluded } = await listEarners(slots.databaseFor([lease]), channel.id, viewers);
    const lookedUp = await readPlaces(channel.id, earners, nowMs);
    const { twitchIds, elsewhereIds } = presence.earners(channel.id, earners, nowMs, lookedUp);
    const accrued = await gathered.credit(
      {
        channelId: channel.id,
        streamId: channel.streamId,
        twitchIds,
        uncounted: { watchedElsewhere: elsewhereIds, excluded, bot: bots },
        ...(gapReason && { gapReason }),
      },
      nowMs,
      lease,
    );
    troubles.end(channel.id, trouble);
    if (channel.watchedUntilMs !== null) watchIntervals.observe(intervalMs / second);
    // An interval that is too long does not count either.
    if (gapReason || intervalMs > MAX_INTERVAL_MS) watchGaps.inc({ reason: gapReason ?? 'notPolled' });
    log.debug({ channelId: channel.id, chatters: chatters.length, ...accrued }, 'chatters read');
  };
}

/**
 * Returns the number of reads that a round may start: twice the number that spreads all live channels over
 * the minute.
 */
function readsPerRound(channels: readonly CursoredChannel[], roundEveryMs: number): number {
  const live = channels.filter((channel) => channel.live).length;
  return Math.max(1, Math.ceil((2 * live * roundEveryMs) / READ_EVERY_MS));
}

const longestWaiting = <C extends CursoredChannel>(due: readonly C[], limit: number): C[] =>
  due.toSorted((one, other) => (one.watchedUntilMs ?? 0) - (other.watchedUntilMs ?? 0)).slice(0, limit);

/**
 * Lists the viewers whose watch time counts, and those whom the broadcaster excludes. Also stores the ids of excluded
 * logins seen for the first time.
 */
async function listEarners(
  db: Database,
  channelId: string,
  viewers: readonly Chatter[],
): Promise<{ earners: string[]; excluded: string[] }> {
  const { ids, seen } = excludedAmong(viewers, await listExcluded(db.read, channelId));
  if (seen.length > 0) await recordExcludedIds(db, { channelId, seen });
  const present = viewers.map(({ twitchId }) => twitchId);
  return {
    earners: present.filter((twitchId) => !ids.has(twitchId)),
    excluded: present.filter((twitchId) => ids.has(twitchId)),
  };
}

/**
 * Returns the milliseconds until a channel's chat is next read: once a minute while live, and once more after
 * going offline, for the time since the last reading. Null until the channel is live.
 */
function unreadIn({ live, watchedUntilMs, wentOfflineAtMs }: CursoredChannel, nowMs: number): NextDue {
  if (isAhead({ live, watchedUntilMs }, nowMs)) return 0;
  if (live) return (watchedUntilMs ?? 0) + READ_EVERY_MS - nowMs;
  return watchedUntilMs !== null && (wentOfflineAtMs ?? 0) - watchedUntilMs >= second ? 0 : null;
}

/**
 * Splits the chatters into viewers and accounts of bots, ours among them: without the broadcaster, and without rows
 * that Twitch sends without an id.
 */
function splitChatters(
  chatters: readonly Chatter[],
  channelId: string,
  isBot: (chatter: Chatter) => boolean,
): { viewers: Chatter[]; bots: string[] } {
  const viewers = new Map<string, Chatter>();
  const bots = new Set<string>();
  for (const chatter of chatters) {
    const { twitchId, login } = chatter;
    if (!twitchId || twitchId === channelId) continue;
    if (isBot(chatter)) bots.add(twitchId);
    else viewers.set(twitchId, { twitchId, login: login.toLowerCase() });
  }
  return { viewers: [...viewers.values()], bots: [...bots] };
}

/**
 * Picks the viewers that the broadcaster excluded. An excluded login refers to whoever has it when it is
 * first seen in chat; from then on the id decides, so a rename does not end the exclusion and a login's next
 * owner is not affected.
 */
function excludedAmong(viewers: readonly Chatter[], excluded: readonly Excluded[]) {
  const ids = new Set(excluded.flatMap(({ twitchId }) => twitchId ?? []));
  const unseen = new Set(excluded.filter((one) => one.twitchId === null).map(({ login }) => login));
  const seen = viewers.filter(({ login, twitchId }) => unseen.has(login) && !ids.has(twitchId));
  return { ids: new Set([...ids, ...seen.map(({ twitchId }) => twitchId)]), seen };
}
