import type { BotDeps } from '#bot/deps.ts';
import type { EventApi } from '#bot/twitch/events/event-api.ts';
import type { CarrierEvents, EventCarrier, WantedSubscription } from '#bot/twitch/events/event-carrier.ts';
import { openShards, type Shards } from '#bot/twitch/events/event-shards.ts';
import { conduitSubscriptions } from '#bot/twitch/events/event-subscriptions.ts';
import { twitchFaultOf } from '#bot/twitch/twitch-fault.ts';
import { findConduit, saveConduit } from '#domain/twitch-event/conduit.ts';

/** Twitch sends what one shard does not take to one other, so there are two. */
const SHARDS = 2;
/** What it delivers changes without a word far more rarely than where to. */
const LOOKS_PER_READING = 10;
const RETRY_MS = { shortest: 500, longest: 30_000 };

interface Deps extends Pick<BotDeps, 'database' | 'log'> {
  api: EventApi;
  url: string;
  events: CarrierEvents;
  /** How often Twitch is asked where it delivers to, and again for what it refused. System time. */
  askAgainMs: number;
}

/**
 * Carries the events of all channels through one conduit, whose shards are WebSockets of ours. Its subscriptions belong
 * to the application and outlive the sockets, so that a restart subscribes to nothing anew.
 */
export function eventsByConduit(deps: Deps): EventCarrier {
  const { log, url, events, askAgainMs } = deps;
  const subscriptions = conduitSubscriptions(deps);
  const sessions = sessionsAtTwitch(deps);
  let wanted: WantedSubscription = new Map();
  let conduitId: string | null = null;
  let readAtMs = 0;
  /** A shard took over since everything was caught up with: what was sent before may be lost. */
  let behind = false;

  const lose = (): void => {
    conduitId = null;
    readAtMs = 0;
    sessions.lookSoon();
    subscriptions.forget();
  };

  const tend = async (): Promise<number> => {
    conduitId ??= await findOrCreate(deps);
    if (await sessions.tell(conduitId, shards)) behind = true;
    if (!shards.anyKnown()) return askAgainMs;
    if (Date.now() >= readAtMs) {
      await subscriptions.read(conduitId);
      readAtMs = Date.now() + askAgainMs * LOOKS_PER_READING;
    }
    await subscriptions.bringTo(wanted, conduitId);
    if (behind) subscriptions.tellAll(wanted);
    behind = false;
    return subscriptions.askInMs(wanted);
  };

  const tending = tendingOf(tend, (error) => {
    const fault = twitchFaultOf(error);
    log.warn({ conduitId, code: fault.code, err: fault }, 'the conduit could not be tended');
    if (fault.code === 'refused') lose();
  });

  const shards = openShards(SHARDS, {
    url,
    log,
    events: {
      welcomed: tending.soon,
      lost: () => subscriptions.doubtAll(wanted),
      notified: events.notified,
      revoked(revocation) {
        if (revocation.status === 'conduit_deleted') lose();
        subscriptions.revoked(revocation);
        tending.soon();
      },
    },
  });

  const hears = (channelId: string): boolean =>
    shards.anyKnown() &&
    (wanted.get(channelId)?.every((topic) => subscriptions.isMade(channelId, topic)) ?? false);

  return {
    keepTo(next) {
      wanted = next;
      tending.soon();
    },
    hears,
    counts: () => ({ heard: [...wanted.keys()].filter(hears).length, wanted: wanted.size }),
    stop() {
      tending.stop();
      shards.stop();
    },
  };
}

/** The conduit that was kept, or one that our application has and that was not written down, or a new one. */
async function findOrCreate({ database, api, log }: Deps): Promise<string> {
  const kept = await findConduit(database.read);
  const listed = await api.listConduits();
  const found = listed.find(({ id }) => id === kept) ?? listed[0];
  if (found && found.shards !== SHARDS) await api.resizeConduit(found.id, SHARDS);
  const id = found?.id ?? (await api.createConduit(SHARDS));
  if (id !== kept) await saveConduit(database, id, Date.now());
  log.info({ conduitId: id, found: Boolean(found) }, 'a conduit carries the events');
  return id;
}

/** Tells Twitch which session each shard has, and asks now and then whether it still knows. */
function sessionsAtTwitch({ api, askAgainMs }: Deps) {
  let lookAtMs = 0;
  return {
    lookSoon(): void {
      lookAtMs = 0;
    },
    /** Whether Twitch took a session that it did not have before. */
    async tell(conduitId: string, shards: Shards): Promise<boolean> {
      if (Date.now() >= lookAtMs) {
        shards.keepTo(await api.sessionsOfShards(conduitId));
        lookAtMs = Date.now() + askAgainMs;
      }
      const untold = shards.untold();
      if (untold.size === 0) return false;
      const taken = await api.moveShards(conduitId, untold);
      shards.told(new Map(taken.map((id) => [id, untold.get(id) ?? ''])));
      return taken.length > 0;
    },
  };
}

/**
 * Runs one round at a time, another one after it when there was a call meanwhile, and one by itself after as many
 * milliseconds as the last one said. After failures it waits longer, whoever calls.
 */
function tendingOf(round: () => Promise<number>, failed: (error: unknown) => void) {
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
      roundIn(Math.min(RETRY_MS.longest, RETRY_MS.shortest * 2 ** failures));
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
