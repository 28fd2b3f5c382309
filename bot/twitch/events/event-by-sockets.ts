import type { BotDeps } from '#bot/deps.ts';
import type { EventApi } from '#bot/twitch/events/event-api.ts';
import { type CarrierEvents, type EventCarrier, isPersonal } from '#bot/twitch/events/event-carrier.ts';
import type { Revocation } from '#bot/twitch/events/event-message.ts';
import { openEventSocket } from '#bot/twitch/events/event-socket.ts';
import type { Topic } from '#bot/twitch/events/event-topics.ts';
import { twitchFaultOf } from '#bot/twitch/twitch-fault.ts';
import { steadyMs } from '#platform/steady-time.ts';

/**
 * Twitch allows a user three sockets with 300 subscriptions each. A channel uses one, or two while moving, which leaves
 * room for a second process started by mistake; one subscription per topic is far below the limit.
 */
const MAX_SUBSCRIPTIONS = 300;

type Session = Parameters<EventApi['subscribeSocket']>[2];
/** Twitch notices within minutes that a session is over, and a socket comes back after half a minute at most. */
const MAX_LOST = 20;

interface Deps {
  log: BotDeps['log'];
  api: Pick<EventApi, 'subscribeSocket' | 'unsubscribeSocket'>;
  url: string;
  events: CarrierEvents;
  /** The pause before a refused subscription is retried. Steady time. */
  retryMs: number;
  maxSubscriptions?: number;
}

/** Carries events over one WebSocket per broadcaster, because Twitch ties a socket to one user's token. */
export function eventsBySockets(deps: Deps): EventCarrier {
  const sockets = new Map<string, ChannelSocket>();
  const close = (channelId: string) => {
    sockets.get(channelId)?.stop();
    sockets.delete(channelId);
  };
  return {
    // Only a conduit carries chats.
    stateOf: () => ({ is: 'missing' }),
    setWanted(wanted) {
      for (const channelId of sockets.keys()) if (!wanted.has(channelId)) close(channelId);
      for (const [channelId, topics] of wanted) {
        const channelSocket = sockets.get(channelId) ?? openChannelSocket(channelId, deps);
        sockets.set(channelId, channelSocket);
        channelSocket.setTopics(topics);
      }
    },
    receivesAll: (channelId) => sockets.get(channelId)?.isComplete() ?? false,
    counts: () => ({
      receiving: [...sockets.values()].filter((channelSocket) => channelSocket.isComplete()).length,
      wanted: sockets.size,
      areElsewhere: false,
    }),
    stop() {
      for (const channelId of [...sockets.keys()]) close(channelId);
    },
  };
}

type ChannelSocket = ReturnType<typeof openChannelSocket>;

/** One channel's socket and the subscriptions of its current session. */
function openChannelSocket(channelId: string, deps: Deps) {
  const { log, url, events, maxSubscriptions = MAX_SUBSCRIPTIONS } = deps;
  let wanted: readonly Topic[] = [];
  // Topics above the limit are not subscribed, and keep the channel from being complete.
  const allowed = () => wanted.slice(0, maxSubscriptions);
  let session: string | null = null;
  /** The sessions before it, as far as Twitch may not know yet that they are over. */
  let lost: readonly string[] = [];
  const leave = () => {
    if (session !== null) lost = [...lost, session].slice(-MAX_LOST);
  };
  // A lost session takes its subscriptions with it.
  const syncSubscriptions = () => {
    const isLost = (sessionId: string) => lost.includes(sessionId);
    if (session) subscriptions.sync(allowed(), { sessionId: session, isLost });
  };
  let subscriptions = subscriptionsOf(channelId, deps, syncSubscriptions);
  const resetSubscriptions = () => {
    subscriptions.end();
    subscriptions = subscriptionsOf(channelId, deps, syncSubscriptions);
  };

  const socket = openEventSocket(
    { url, log },
    {
      welcomed(sessionId, moved) {
        leave();
        session = sessionId;
        if (!moved) resetSubscriptions();
        syncSubscriptions();
      },
      lost() {
        leave();
        session = null;
        resetSubscriptions();
      },
      notified: events.notified,
      revoked(revocation) {
        subscriptions.revoked(revocation);
        if (isPersonal(revocation.status)) events.permissionRefused(channelId);
      },
    },
  );

  return {
    setTopics(topics: readonly Topic[]): void {
      wanted = topics;
      syncSubscriptions();
    },
    isComplete: () => session !== null && wanted.every(({ type }) => subscriptions.has(type)),
    stop() {
      subscriptions.end();
      socket.stop();
    },
  };
}

/** The subscriptions of one session. Calls `syncSubscriptions` when one may be retried. */
function subscriptionsOf(
  channelId: string,
  { log, api, events, retryMs }: Deps,
  syncSubscriptions: () => void,
) {
  /** Ids by topic. */
  const made = new Map<string, string>();
  /** Times at which topics may be tried again; Infinity while a request is running. */
  const retryAtMs = new Map<string, number>();
  const timers = new Set<NodeJS.Timeout>();
  let ended = false;

  const retryLater = (type: string): void => {
    if (ended) return;
    const timer = setTimeout(() => {
      timers.delete(timer);
      if (retryAtMs.get(type) === atMs) retryAtMs.delete(type);
      syncSubscriptions();
    }, retryMs);
    timers.add(timer);
    const atMs = steadyMs() + retryMs;
    retryAtMs.set(type, atMs);
  };

  const subscribe = async (topic: Topic, session: Session): Promise<void> => {
    retryAtMs.set(topic.type, Number.POSITIVE_INFINITY);
    events.mayMiss(channelId, topic);
    try {
      made.set(topic.type, await api.subscribeSocket(channelId, topic, session));
      retryAtMs.delete(topic.type);
      if (!ended) events.subscribed(channelId, topic);
    } catch (error) {
      if (ended) return;
      const fault = twitchFaultOf(error);
      log.warn({ channelId, topic: topic.type, code: fault.code, err: fault }, 'subscribing failed');
      if (fault.retry === 'afterHuman') events.permissionRefused(channelId);
      retryLater(topic.type);
    }
  };

  const unsubscribe = (type: string, id: string): void => {
    made.delete(type);
    retryAtMs.delete(type);
    api.unsubscribeSocket(channelId, id).catch((error) => {
      log.debug({ channelId, topic: type, code: twitchFaultOf(error).code }, 'unsubscribing failed');
    });
  };

  return {
    has: (type: string) => made.has(type),
    /** Subscribes to missing topics and unsubscribes from those no longer wanted. */
    sync(wanted: readonly Topic[], session: Session): void {
      const types = new Set(wanted.map(({ type }) => type));
      for (const [type, id] of made) if (!types.has(type)) unsubscribe(type, id);
      for (const topic of wanted)
        if (!made.has(topic.type) && steadyMs() >= (retryAtMs.get(topic.type) ?? 0))
          void subscribe(topic, session);
    },
    revoked({ subscriptionId, type, status }: Revocation): void {
      if (made.get(type) === subscriptionId) made.delete(type);
      retryLater(type);
      log.warn({ channelId, topic: type, status }, 'Twitch revoked a subscription');
    },
    end(): void {
      ended = true;
      for (const timer of timers) clearTimeout(timer);
    },
  };
}
