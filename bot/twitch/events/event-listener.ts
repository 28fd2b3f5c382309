import type { BotDeps } from '#bot/deps.ts';
import type { TwitchApi } from '#bot/twitch/api.ts';
import { isChatType } from '#bot/twitch/chat/chat-topic.ts';
import { eventApi } from '#bot/twitch/events/event-api.ts';
import { eventsByConduit } from '#bot/twitch/events/event-by-conduit.ts';
import { eventsBySockets } from '#bot/twitch/events/event-by-sockets.ts';
import type {
  CarrierEvents,
  EventCarrier,
  SubscriptionState,
  WantedSubscription,
} from '#bot/twitch/events/event-carrier.ts';
import type { Topic } from '#bot/twitch/events/event-topics.ts';
import { minute } from '#domain/kernel/time.ts';
import type { WatchedChannel } from '#domain/rule/list-watched-channels.ts';
import { steadyMs } from '#platform/steady-time.ts';
import { dispatchEvents } from './event-dispatcher.ts';

/**
 * From this many channels on, one conduit carries all events instead of one socket each. It returns to sockets only
 * below a fifth less, so that a single channel coming and going does not switch carriers each time.
 */
export const MIN_CHANNELS_FOR_CONDUIT = 50;
const RETURN_TO_SOCKETS_SHARE = 0.8;
/** The old carrier keeps running for at most this long while the new one takes over. Steady time. */
const HANDOVER_MS = minute;

/** The pause after a refusal, as a multiple of the usual pause: Twitch rarely changes its decision. */
const REFUSED_RETRY_FACTOR = 6;

type Kind = 'sockets' | 'conduit';

/** Returns the carrier for this many channels, given the current one. */
export function carrierFor(channels: number, now: Kind | null, conduitFrom: number): Kind {
  if (channels >= conduitFrom) return 'conduit';
  return now === 'conduit' && channels >= conduitFrom * RETURN_TO_SOCKETS_SHARE ? 'conduit' : 'sockets';
}

type Deps = Pick<BotDeps, 'db' | 'log'> & {
  api: Pick<TwitchApi, 'clientFor' | 'application'>;
  topics: readonly Topic[];
  /** The sandbox's port; null for Twitch itself. */
  mockApiPort: number | null;
  conduitFrom: number;
  retryAfterMs: number;
  /** Called for each chat line. A line may be delivered more than once and in any order. */
  receiveChat(channelId: string, event: unknown, sentAtMs: number): void;
  /** Called when Twitch refused or revoked a subscription for lack of permission. */
  permissionRefused(channelId: string): Promise<void>;
  /** Called when Twitch revoked a chat, perhaps because its chat account withdrew something. */
  chatRevoked(): void;
};

/** Passes a carrier's reports to those whom they concern. */
const carrierEventsOf = (
  { log, permissionRefused, receiveChat, chatRevoked }: Deps,
  dispatcher: ReturnType<typeof dispatchEvents>,
): CarrierEvents => ({
  notified(notification) {
    const { type, channelId, event, sentAtMs } = notification;
    if (isChatType(type)) receiveChat(channelId, event, sentAtMs);
    else dispatcher.take(notification);
  },
  mayMiss: (channelId, topic) => topic.mayMiss?.(channelId),
  subscribed: (channelId, topic) => topic.catchUp?.(channelId),
  permissionRefused(channelId) {
    permissionRefused(channelId).catch((error) => {
      log.error({ err: error, channelId }, "could not check the channel's grant");
    });
  },
  chatRevoked,
});

/** Receives channel events over either carrier and handles each of them once. */
export function listenToEvents(deps: Deps) {
  const { db, log, topics, mockApiPort, conduitFrom } = deps;
  const dispatcher = dispatchEvents({ db, log, topics });
  const common = {
    ...deps,
    api: eventApi(deps.api),
    url: mockApiPort ? `ws://127.0.0.1:${mockApiPort}/ws` : 'wss://eventsub.wss.twitch.tv/ws',
    events: carrierEventsOf(deps, dispatcher),
    retryMs: deps.retryAfterMs * REFUSED_RETRY_FACTOR,
    standbyMs: deps.retryAfterMs / 2,
  };
  const open: Record<Kind, () => EventCarrier> = {
    sockets: () => eventsBySockets(common),
    conduit: () => eventsByConduit(common),
  };
  let carrying: { kind: Kind; carrier: EventCarrier } | null = null;
  let leaving: { carrier: EventCarrier; untilMs: number } | null = null;

  const stopLeaving = () => {
    leaving?.carrier.stop();
    leaving = null;
  };

  const chooseCarrier = (channels: number, chats: WantedSubscription | null): EventCarrier => {
    const now = carrying?.kind ?? null;
    // While it is unknown which chats to read, a carrier that may have them stays.
    const needsConduit = chats === null ? now === 'conduit' : chats.size > 0;
    const kind = needsConduit ? 'conduit' : carrierFor(channels, now, conduitFrom);
    if (carrying?.kind === kind) return carrying.carrier;
    stopLeaving();
    if (carrying) {
      log.info({ channels, to: kind }, 'switching the event carrier');
      leaving = { carrier: carrying.carrier, untilMs: steadyMs() + HANDOVER_MS };
    }
    carrying = { kind, carrier: open[kind]() };
    return carrying.carrier;
  };

  return {
    /**
     * Sets the channels to listen to, and the chats to read; null leaves the subscribed chats as they are.
     * Called on every possible change and at intervals.
     */
    setChannels(channels: readonly WatchedChannel[], chats: WantedSubscription | null): void {
      const carrier = chooseCarrier(channels.length, chats);
      carrier.setWanted(
        new Map(channels.map((channel) => [channel.id, topics.filter((topic) => topic.isNeeded(channel))])),
        chats,
      );
      const { receiving, wanted, areElsewhere } = carrier.counts();
      if (leaving && (receiving === wanted || areElsewhere || steadyMs() > leaving.untilMs)) stopLeaving();
    },
    /** While the carrier changes, `setChannels` must be called every few seconds. */
    changesCarrier: () => leaving !== null,
    /** Returns the state of a chat's subscription. */
    stateOf: (channelId: string, topic: Topic): SubscriptionState =>
      carrying?.carrier.stateOf(channelId, topic) ?? { is: 'missing' },
    /** Returns whether all wanted topics of a channel are subscribed. */
    receivesAll: (channelId: string): boolean => carrying?.carrier.receivesAll(channelId) ?? false,
    /** See the carrier's `counts`. */
    counts: () => carrying?.carrier.counts() ?? { receiving: 0, wanted: 0, areElsewhere: false },
    async stop(): Promise<void> {
      stopLeaving();
      carrying?.carrier.stop();
      await dispatcher.settle();
    },
  };
}
