import type { BotDeps } from '#bot/deps.ts';
import type { EventApi } from '#bot/twitch/events/event-api.ts';
import type { CarrierEvents, EventCarrier, WantedSubscription } from '#bot/twitch/events/event-carrier.ts';
import { openShards, type Shards } from '#bot/twitch/events/event-shards.ts';
import { RETRY_MS } from '#bot/twitch/events/event-socket.ts';
import { conduitSubscriptions } from '#bot/twitch/events/event-subscriptions.ts';
import { twitchFaultOf } from '#bot/twitch/twitch-fault.ts';
import { findConduit, saveConduit } from '#domain/twitch-event/conduit.ts';

/** Two, because Twitch sends what one shard fails to receive to one other. */
const SHARDS = 2;
/** Subscriptions change on their own far less often than shards. */
const CHECKS_PER_LISTING = 10;

interface Deps extends Pick<BotDeps, 'database' | 'log'> {
  api: EventApi;
  url: string;
  events: CarrierEvents;
  /**
   * How often the shards' sessions are checked, and the pause before a refused subscription is retried. System time.
   */
  retryMs: number;
}

/**
 * Carries the events of all channels through one conduit whose shards are our WebSockets. Its subscriptions belong to
 * the application and outlive the sockets, so a restart need not renew them.
 */
export function eventsByConduit(deps: Deps): EventCarrier {
  const { log, url, events, retryMs } = deps;
  const [subscriptions, sessions] = [conduitSubscriptions(deps), shardSessions(deps)];
  let wanted: WantedSubscription = new Map();
  let chats: WantedSubscription | null = null;
  let conduitId: string | null = null;
  let listAgainAtMs = 0;
  /** A shard got a new session since the last catch-up: earlier events may be lost. */
  let needsCatchUp = false;

  const dropConduit = (): void => {
    conduitId = null;
    listAgainAtMs = 0;
    sessions.checkSoon();
    subscriptions.clear();
  };

  const maintain = async (): Promise<number> => {
    conduitId ??= await findOrCreate(deps);
    if (await sessions.assignUnreported(conduitId, shards)) needsCatchUp = true;
    if (!shards.anyKnown()) return retryMs;
    if (Date.now() >= listAgainAtMs) {
      await subscriptions.read(conduitId);
      listAgainAtMs = Date.now() + retryMs * CHECKS_PER_LISTING;
    }
    await subscriptions.sync(wanted, chats, conduitId);
    if (needsCatchUp) subscriptions.catchUpAll(wanted);
    needsCatchUp = false;
    return subscriptions.nextRetryInMs(wanted, chats);
  };

  const maintenance = startRounds(maintain, (error) => {
    const fault = twitchFaultOf(error);
    log.warn({ conduitId, code: fault.code, err: fault }, 'could not maintain the conduit');
    if (fault.code === 'refused') dropConduit();
  });

  const shards = openShards(SHARDS, {
    url,
    log,
    events: {
      welcomed: maintenance.soon,
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
    shards.anyKnown() &&
    (wanted.get(channelId)?.every((topic) => subscriptions.isMade(channelId, topic)) ?? false);

  return {
    setWanted(next, nextChats) {
      [wanted, chats] = [next, nextChats];
      maintenance.soon();
    },
    stateOf: (channelId, topic) => subscriptions.stateOf(channelId, topic),
    receivesAll,
    counts: () => ({ receiving: [...wanted.keys()].filter(receivesAll).length, wanted: wanted.size }),
    stop() {
      maintenance.stop();
      shards.stop();
    },
  };
}

/** Returns the stored conduit, another one of our application, or a new one. */
async function findOrCreate({ database, api, log }: Deps): Promise<string> {
  const saved = await findConduit(database.read);
  const listed = await api.listConduits();
  const found = listed.find(({ id }) => id === saved) ?? listed[0];
  if (found && found.shards !== SHARDS) await api.resizeConduit(found.id, SHARDS);
  const id = found?.id ?? (await api.createConduit(SHARDS));
  if (id !== saved) await saveConduit(database, id, Date.now());
  log.info({ conduitId: id, found: Boolean(found) }, 'a conduit carries the events');
  return id;
}

/** Assigns each shard its session and checks at intervals that Twitch still has it. */
function shardSessions({ api, retryMs }: Deps) {
  let nextCheckAtMs = 0;
  return {
    checkSoon(): void {
      nextCheckAtMs = 0;
    },
    /** Whether Twitch accepted a session that it did not have before. */
    async assignUnreported(conduitId: string, shards: Shards): Promise<boolean> {
      if (Date.now() >= nextCheckAtMs) {
        shards.markUnknownExcept(await api.sessionsOfShards(conduitId));
        nextCheckAtMs = Date.now() + retryMs;
      }
      const unreported = shards.unreported();
      if (unreported.size === 0) return false;
      const taken = await api.moveShards(conduitId, unreported);
      shards.markKnown(new Map(taken.map((id) => [id, unreported.get(id) ?? ''])));
      return taken.length > 0;
    },
  };
}

/**
 * Runs one round at a time: again at once if requested meanwhile, otherwise after the delay that the last round
 * returned. After failures it waits longer, even when requested.
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
