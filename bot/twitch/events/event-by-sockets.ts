import type { BotDeps } from '#bot/deps.ts';
import type { EventApi } from '#bot/twitch/events/event-api.ts';
import { type CarrierEvents, type EventCarrier, isPersonal } from '#bot/twitch/events/event-carrier.ts';
import type { Revocation } from '#bot/twitch/events/event-message.ts';
import { openEventSocket } from '#bot/twitch/events/event-socket.ts';
import type { Topic } from '#bot/twitch/events/event-topics.ts';
import { twitchFaultOf } from '#bot/twitch/twitch-fault.ts';

/**
 * Twitch lets a user have three sockets at a time, with 300 subscriptions each. A channel takes one, or two while it
 * moves, so that a second process started by mistake still gets in; and one subscription per topic, which is far less.
 */
const MAX_ON_A_SOCKET = 300;

interface Deps {
  log: BotDeps['log'];
  api: Pick<EventApi, 'subscribeSocket' | 'unsubscribeSocket'>;
  url: string;
  events: CarrierEvents;
  /** What was refused is asked for again after this time. System time. */
  askAgainMs: number;
  mostOnASocket?: number;
}

/** Carries events over one WebSocket per broadcaster, as Twitch ties a socket to one user's token. */
export function eventsBySockets(deps: Deps): EventCarrier {
  const ears = new Map<string, Ear>();
  const close = (channelId: string) => {
    ears.get(channelId)?.stop();
    ears.delete(channelId);
  };
  return {
    keepTo(wanted) {
      for (const channelId of ears.keys()) if (!wanted.has(channelId)) close(channelId);
      for (const [channelId, topics] of wanted) {
        const ear = ears.get(channelId) ?? openEar(channelId, deps);
        ears.set(channelId, ear);
        ear.keepTo(topics);
      }
    },
    hears: (channelId) => ears.get(channelId)?.isComplete() ?? false,
    counts: () => ({
      heard: [...ears.values()].filter((ear) => ear.isComplete()).length,
      wanted: ears.size,
    }),
    stop() {
      for (const channelId of [...ears.keys()]) close(channelId);
    },
  };
}

type Ear = ReturnType<typeof openEar>;

/** Listens to one channel: its socket, and what is subscribed for the session that stands. */
function openEar(channelId: string, deps: Deps) {
  const { log, url, events, mostOnASocket = MAX_ON_A_SOCKET } = deps;
  let wanted: readonly Topic[] = [];
  // What exceeds is not asked for, and counts as not heard.
  const fitting = () => wanted.slice(0, mostOnASocket);
  let session: string | null = null;
  // A session that is lost takes its subscriptions with it.
  const bring = () => {
    if (session) held.bringTo(fitting(), session);
  };
  let held = subscriptionsOf(channelId, deps, bring);
  const forget = () => {
    held.end();
    held = subscriptionsOf(channelId, deps, bring);
  };

  const socket = openEventSocket(
    { url, log },
    {
      welcomed(sessionId, moved) {
        session = sessionId;
        if (!moved) forget();
        bring();
      },
      lost() {
        session = null;
        forget();
      },
      notified: events.notified,
      revoked(revocation) {
        held.revoked(revocation);
        if (isPersonal(revocation.status)) events.permissionDoubted(channelId);
      },
    },
  );

  return {
    keepTo(topics: readonly Topic[]): void {
      wanted = topics;
      bring();
    },
    isComplete: () => session !== null && wanted.every(({ type }) => held.has(type)),
    stop() {
      held.end();
      socket.stop();
    },
  };
}

/** The subscriptions of one session. `bring` brings them to what is wanted again, when something may be asked for anew. */
function subscriptionsOf(channelId: string, { log, api, events, askAgainMs }: Deps, bring: () => void) {
  /** Ids by topic; null: Twitch had it already and did not say its id. */
  const made = new Map<string, string | null>();
  /** When a topic may be asked for again; never while it is being asked for. */
  const askAtMs = new Map<string, number>();
  const timers = new Set<NodeJS.Timeout>();
  let ended = false;

  const askLater = (type: string): void => {
    if (ended) return;
    const timer = setTimeout(() => {
      timers.delete(timer);
      if (askAtMs.get(type) === atMs) askAtMs.delete(type);
      bring();
    }, askAgainMs);
    timers.add(timer);
    const atMs = Date.now() + askAgainMs;
    askAtMs.set(type, atMs);
  };

  const subscribe = async (topic: Topic, sessionId: string): Promise<void> => {
    askAtMs.set(topic.type, Number.POSITIVE_INFINITY);
    events.misses(channelId, topic);
    try {
      made.set(topic.type, await api.subscribeSocket(channelId, topic, sessionId));
      askAtMs.delete(topic.type);
      if (!ended) events.hears(channelId, topic);
    } catch (error) {
      if (ended) return;
      const fault = twitchFaultOf(error);
      log.warn({ channelId, topic: topic.type, code: fault.code, err: fault }, 'an event is not heard');
      if (fault.retry === 'afterHuman') events.permissionDoubted(channelId);
      askLater(topic.type);
    }
  };

  const unsubscribe = (type: string, id: string | null): void => {
    made.delete(type);
    askAtMs.delete(type);
    if (!id) return;
    api.unsubscribeSocket(channelId, id).catch((error) => {
      log.debug({ channelId, topic: type, code: twitchFaultOf(error).code }, 'an event is still heard');
    });
  };

  return {
    has: (type: string) => made.has(type),
    /** Subscribes to what is wanted and missing, and ends what is not wanted. */
    bringTo(wanted: readonly Topic[], sessionId: string): void {
      const types = new Set(wanted.map(({ type }) => type));
      for (const [type, id] of made) if (!types.has(type)) unsubscribe(type, id);
      for (const topic of wanted)
        if (!made.has(topic.type) && Date.now() >= (askAtMs.get(topic.type) ?? 0))
          void subscribe(topic, sessionId);
    },
    revoked({ subscriptionId, type, status }: Revocation): void {
      if (made.get(type) === subscriptionId) made.delete(type);
      askLater(type);
      log.warn({ channelId, topic: type, status }, 'Twitch took back a subscription');
    },
    end(): void {
      ended = true;
      for (const timer of timers) clearTimeout(timer);
    },
  };
}
