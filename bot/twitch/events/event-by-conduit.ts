import type { BotDeps } from '#bot/deps.ts';
import type { EventApi } from '#bot/twitch/events/event-api.ts';
import {
  type CarrierEvents,
  type EventCarrier,
  knownUnlessChanged,
  type WantedSubscription,
} from '#bot/twitch/events/event-carrier.ts';
import { openShards, type Shards } from '#bot/twitch/events/event-shards.ts';
import { RETRY_MS } from '#bot/twitch/events/event-socket.ts';
import { conduitSubscriptions } from '#bot/twitch/events/event-subscriptions.ts';
import { twitchFaultOf } from '#bot/twitch/twitch-fault.ts';
import { findConduit, saveConduit } from '#domain/twitch-event/conduit.ts';
import { steadyMs } from '#platform/steady-time.ts';

/** Two, because Twitch sends what one shard fails to receive to one other. */
const SHARDS = 2;
/** Subscriptions change on their own far less often than shards. */
const CHECKS_PER_LISTING = 10;

interface Deps extends Pick<BotDeps, 'db' | 'log'> {
  api: EventApi;
  url: string;
  events: CarrierEvents;
  /**
   * Interval at which the shards' sessions are checked, and the pause before a refused subscription is
   * retried. Steady time.
   */
  retryMs: number;
  /** Interval at which a process without shards checks whether they are free. Steady time. */
  standbyMs: number;
}

/**
 * Carries the events of all channels through one conduit whose shards are our WebSockets. Its subscriptions
 * belong to the application and outlive the sockets, so a restart need not renew them. Among several
 * processes the one that reads chats has the shards, because only it can answer there; without chats, the
 * first one.
 */
export function eventsByConduit(deps: Deps): EventCarrier {
  const { log, url, events, retryMs } = deps;
  const [subscriptions, sessions] = [conduitSubscriptions(deps), shardSessions(deps)];
  const listing = listRarely(subscriptions, retryMs * CHECKS_PER_LISTING);
  let wanted: WantedSubscription = new Map();
  let chats: WantedSubscription | null = null;
  let conduitId: string | null = null;
  /** A shard got a new session since the last catch-up: earlier events may be lost. */
  let needsCatchUp = false;

  const dropConduit = (): void => {
    conduitId = null;
    listing.readSoon();
    sessions.checkSoon();
    subscriptions.clear();
  };

  const maintain = async (): Promise<number> => {
    conduitId ??= await findOrCreate(deps);
    if (await sessions.assignUnreported(conduitId, shards, Boolean(chats?.size))) needsCatchUp = true;
    if (sessions.areElsewhere()) listing.readSoon();
    if (!shards.anyKnown()) return sessions.nextCheckInMs();
    await listing.readIfDue(conduitId);
    await subscriptions.sync(wanted, chats, conduitId);
    if (needsCatchUp) subscriptions.catchUpAll(wanted);
    needsCatchUp = false;
    return Math.min(subscriptions.nextRetryInMs(wanted, chats), sessions.nextCheckInMs());
  };

  const maintenance = startRounds(maintain, (error) => {
    const fault = twitchFaultOf(error);
    log.warn({ conduitId, code: fault.code, err: fault }, 'could not maintain the conduit');
    if (fault.code === 'refused') dropConduit();
  });

  const shards = openShards(SHARDS, {
    ...{ url, log },
    events: {
      welcomed() {
        sessions.checkSoon();
        maintenance.soon();
      },
      lost: () => subscriptions.mayMissAll(wanted),
      notified: events.notified,
      revoked(revocation) {
        if (revocation.status === 'conduit_deleted') dropConduit();
        subscriptions.revoked(revocation);
        maintenance.soon();
      },
    },
  });

  const receivesAll = (channelId: string): boolean =>
    shards.anyKnown() && isSubscribed(channelId, subscriptions, { wanted, chats });

  return {
    setWanted(next, nextChats) {
      [wanted, chats] = [knownUnlessChanged(wanted, next), knownUnlessChanged(chats, nextChats)];
      maintenance.soon();
    },
    stateOf: (channelId, topic) => subscriptions.stateOf(channelId, topic),
    receivesAll,
    counts: () => ({ ...countsOf(wanted, receivesAll), areElsewhere: sessions.areElsewhere() }),
    stop() {
      maintenance.stop();
      shards.stop();
    },
  };
}

/** Returns whether all wanted subscriptions of a channel are made. */
const isSubscribed = (
  channelId: string,
  subscriptions: ReturnType<typeof conduitSubscriptions>,
  { wanted, chats }: { wanted: WantedSubscription; chats: WantedSubscription | null },
): boolean =>
  subscriptions.areSettled(wanted, chats)
    ? wanted.has(channelId)
    : (wanted.get(channelId)?.every((topic) => subscriptions.isMade(channelId, topic)) ?? false);

const countsOf = (wanted: WantedSubscription, receivesAll: (channelId: string) => boolean) => ({
  receiving: [...wanted.keys()].filter(receivesAll).length,
  wanted: wanted.size,
});

/** Reads the conduit's subscriptions at intervals. */
function listRarely(subscriptions: ReturnType<typeof conduitSubscriptions>, everyMs: number) {
  let dueAtMs = 0;
  return {
    /** Another process may have changed them. */
    readSoon(): void {
      dueAtMs = 0;
    },
    async readIfDue(conduitId: string): Promise<void> {
      if (steadyMs() < dueAtMs) return;
      await subscriptions.read(conduitId);
      dueAtMs = steadyMs() + everyMs;
    },
  };
}

/** Returns the stored conduit, another one of our application, or a new one. */
async function findOrCreate({ db, api, log }: Deps): Promise<string> {
  const saved = await findConduit(db.read);
  const listed = await api.listConduits();
  const found = listed.find(({ id }) => id === saved) ?? listed[0];
  if (found && found.shards !== SHARDS) await api.resizeConduit(found.id, SHARDS);
  const id = found?.id ?? (await api.createConduit(SHARDS));
  if (id !== saved) await saveConduit(db, id, Date.now());
  log.info({ conduitId: id, found: Boolean(found) }, 'a conduit carries the events');
  return id;
}

/** Assigns each shard its session and checks at intervals that Twitch still has it. */
function shardSessions({ api, retryMs, standbyMs }: Deps) {
  let nextCheckAtMs = 0;
  let areElsewhere = false;
  return {
    checkSoon(): void {
      nextCheckAtMs = 0;
    },
    nextCheckInMs: (): number => Math.max(0, nextCheckAtMs - steadyMs()),
    /** Another process has the shards, and this one waits for them. */
    areElsewhere: (): boolean => areElsewhere,
    /**
     * Returns whether Twitch accepted a session that it did not have before. With `readsChats` this process
     * must have the shards; otherwise it leaves them to a process that has them.
     */
    async assignUnreported(conduitId: string, shards: Shards, readsChats: boolean): Promise<boolean> {
      const isDue = steadyMs() >= nextCheckAtMs;
      if (isDue) {
        const listed = await api.sessionsOfShards(conduitId);
        shards.markUnknownExcept(listed);
        areElsewhere = !readsChats && shards.areElsewhere(listed);
        nextCheckAtMs = steadyMs() + (areElsewhere ? standbyMs : retryMs);
      }
      if (readsChats) areElsewhere = false;
      if (areElsewhere) {
        shards.rest();
        return false;
      }
      shards.open();
      const unreported = shards.unreported();
      // The result of an earlier check may no longer be true.
      if (unreported.size === 0 || !(readsChats || isDue)) return false;
      const taken = await api.moveShards(conduitId, unreported);
      shards.markKnown(new Map(taken.map((id) => [id, unreported.get(id) ?? ''])));
      // Another process may have taken them at the same moment.
      nextCheckAtMs = Math.min(nextCheckAtMs, steadyMs() + standbyMs);
      return taken.length > 0;
    },
  };
}

/**
 * Runs one round at a time: again at once if requested during a round, otherwise after the delay that the
 * last round returned. After failures it waits longer, even when requested.
 */
function startRounds(round: () => Promise<number>, failed: (error: unknown) => void) {
  let running = false;
  let again = false;
  let failures = 0;
  let next: NodeJS.Timeout | undefined;
  let stopped = false;
  const roundIn = (ms: number): void => {
    clearTimeout(next);
    if (!stopped) next = setTimeout(() => void run(), ms);
  };
  const run = async (): Promise<void> => {
    if (running || stopped) return;
    running = true;
    again = false;
    try {
      const nextMs = await round();
      failures = 0;
      roundIn(again ? 0 : nextMs);
    } catch (error) {
      failed(error);
      roundIn(Math.min(RETRY_MS.max, RETRY_MS.min * 2 ** failures));
      failures += 1;
    }
    running = false;
  };
  return {
    soon(): void {
      again = true;
      if (failures === 0) void run();
    },
    stop() {
      stopped = true;
      clearTimeout(next);
    },
  };
}
