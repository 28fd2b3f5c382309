import type { BotDeps } from '#bot/deps.ts';
import type { EventApi } from '#bot/twitch/event-api.ts';
import { type CarrierEvents, type EventCarrier, isPersonal } from '#bot/twitch/event-carrier.ts';
import { openEventSocket } from '#bot/twitch/event-socket.ts';
import type { Topic } from '#bot/twitch/event-topics.ts';
import { twitchFaultOf } from '#bot/twitch/twitch-fault.ts';

/**
 * Twitch lets a user have three sockets at a time, with 300 subscriptions each. A channel takes one, or two while it
 * moves, so that a second process started by mistake still gets in; and one subscription per topic, which is far less.
 */
const MOST_ON_A_SOCKET = 300;

interface Deps {
  log: BotDeps['log'];
  api: Pick<EventApi, 'subscribeSocket' | 'unsubscribeSocket'>;
  url: string;
  events: CarrierEvents;
  /** What was refused is asked for again after this time. System time. */
  askAgainMs: number;
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
        ear.keepTo(topics.slice(0, MOST_ON_A_SOCKET));
      }
    },
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
function openEar(channelId: string, { log, api, url, events, askAgainMs }: Deps) {
  let wanted: readonly Topic[] = [];
  let session: string | null = null;
  /** Subscriptions of the present session, by topic. A session that is lost takes them with it. */
  let made = new Map<string, { id: string | null }>();
  let askedAtMs = new Map<string, number>();

  const subscribe = async (topic: Topic, sessionId: string): Promise<void> => {
    const subscriptions = made;
    try {
      subscriptions.set(topic.type, { id: await api.subscribeSocket(channelId, topic, sessionId) });
      if (subscriptions === made) events.hears(channelId, topic);
    } catch (error) {
      const fault = twitchFaultOf(error);
      log.warn({ channelId, topic: topic.type, code: fault.code, err: fault }, 'an event is not heard');
      if (fault.retry === 'afterHuman') events.permissionDoubted(channelId);
    }
  };

  const subscribeMissing = (): void => {
    if (session === null) return;
    for (const topic of wanted) {
      const askedLately = Date.now() - (askedAtMs.get(topic.type) ?? 0) < askAgainMs;
      if (made.has(topic.type) || askedLately) continue;
      askedAtMs.set(topic.type, Date.now());
      void subscribe(topic, session);
    }
  };

  const dropUnwanted = (): void => {
    const types = new Set(wanted.map(({ type }) => type));
    for (const [type, { id }] of made) {
      if (types.has(type)) continue;
      made.delete(type);
      askedAtMs.delete(type);
      if (!id) continue;
      api.unsubscribeSocket(channelId, id).catch((error) => {
        log.debug({ channelId, topic: type, code: twitchFaultOf(error).code }, 'an event is still heard');
      });
    }
  };

  const forget = () => {
    made = new Map();
    askedAtMs = new Map();
  };

  const socket = openEventSocket(
    { url, log },
    {
      welcomed(sessionId, moved) {
        session = sessionId;
        if (!moved) forget();
        subscribeMissing();
      },
      lost() {
        session = null;
        forget();
      },
      notified: events.notified,
      revoked({ subscriptionId, type, status }) {
        if (made.get(type)?.id === subscriptionId) made.delete(type);
        log.warn({ channelId, topic: type, status }, 'Twitch took back a subscription');
        if (isPersonal(status)) events.permissionDoubted(channelId);
      },
    },
  );

  return {
    keepTo(topics: readonly Topic[]): void {
      wanted = topics;
      dropUnwanted();
      subscribeMissing();
    },
    isComplete: () => session !== null && wanted.every(({ type }) => made.has(type)),
    stop: () => socket.stop(),
  };
}
