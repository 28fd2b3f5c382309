import type { BotDeps } from '#bot/deps.ts';
import type { TwitchApi } from '#bot/twitch/api.ts';
import { eventApi } from '#bot/twitch/events/event-api.ts';
import { eventsByConduit } from '#bot/twitch/events/event-by-conduit.ts';
import { eventsBySockets } from '#bot/twitch/events/event-by-sockets.ts';
import type { CarrierEvents, EventCarrier } from '#bot/twitch/events/event-carrier.ts';
import type { Topic } from '#bot/twitch/events/event-topics.ts';
import type { WatchedChannel } from '#domain/channel/list-watched-channels.ts';
import { minute } from '#domain/time.ts';
import { dispatchEvents } from './event-dispatcher.ts';

/**
 * From so many channels on, one conduit carries all events instead of a socket each; it goes back to sockets only when
 * a fifth of them are gone, so that a channel which comes and goes does not change carriers each time.
 */
export const MIN_CHANNELS_FOR_CONDUIT = 50;
const RETURN_TO_SOCKETS_SHARE = 0.8;
/** While another carrier takes over, the old one goes on, but no longer than this. System time. */
const HANDOVER_MS = minute;

/** What Twitch refused is asked for again after so many of the usual pauses: it rarely thinks better of it. */
const REFUSED_RETRY_FACTOR = 6;

type Kind = 'sockets' | 'conduit';

/** Which carrier suits so many channels, given the one that carries now. */
export function carrierFor(channels: number, now: Kind | null, conduitFrom: number): Kind {
  if (channels >= conduitFrom) return 'conduit';
  return now === 'conduit' && channels >= conduitFrom * RETURN_TO_SOCKETS_SHARE ? 'conduit' : 'sockets';
}

type Deps = Pick<BotDeps, 'database' | 'log'> & {
  api: Pick<TwitchApi, 'clientFor' | 'application'>;
  topics: readonly Topic[];
  /** The sandbox's port; null: Twitch itself. */
  mockApiPort: number | null;
  conduitFrom: number;
  retryAfterMs: number;
  /** Twitch refused or took back a subscription for lack of permission. */
  permissionDoubted(channelId: string): Promise<void>;
};

/** Hears what happens on channels, whichever way it is carried here, and has it handled once. */
export function listenToEvents(deps: Deps) {
  const { database, log, topics, mockApiPort, conduitFrom, permissionDoubted } = deps;
  const dispatcher = dispatchEvents({ database, log, topics });
  const events: CarrierEvents = {
    notified: dispatcher.take,
    mayMiss: (channelId, topic) => topic.mayMiss?.(channelId),
    subscribed: (channelId, topic) => topic.catchUp?.(channelId),
    permissionDoubted(channelId) {
      permissionDoubted(channelId).catch((error) => {
        log.error({ err: error, channelId }, 'a doubted permission was not looked into');
      });
    },
  };
  const common = {
    ...deps,
    api: eventApi(deps.api),
    url: mockApiPort ? `ws://127.0.0.1:${mockApiPort}/ws` : 'wss://eventsub.wss.twitch.tv/ws',
    events,
    retryMs: deps.retryAfterMs * REFUSED_RETRY_FACTOR,
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

  const chooseCarrier = (channels: number): EventCarrier => {
    const kind = carrierFor(channels, carrying?.kind ?? null, conduitFrom);
    if (carrying?.kind === kind) return carrying.carrier;
    stopLeaving();
    if (carrying) {
      log.info({ channels, to: kind }, 'events are carried another way');
      leaving = { carrier: carrying.carrier, untilMs: Date.now() + HANDOVER_MS };
    }
    carrying = { kind, carrier: open[kind]() };
    return carrying.carrier;
  };

  return {
    /** Listens to exactly these channels from now on. Called whenever they may be others, and now and then. */
    setChannels(channels: readonly WatchedChannel[]): void {
      const carrier = chooseCarrier(channels.length);
      carrier.setWanted(
        new Map(channels.map((channel) => [channel.id, topics.filter((topic) => topic.isNeeded(channel))])),
      );
      const { receiving, wanted } = carrier.counts();
      if (leaving && (receiving === wanted || Date.now() > leaving.untilMs)) stopLeaving();
    },
    /** While the events come to be carried another way, it has to be looked after every few seconds. */
    changesCarrier: () => leaving !== null,
    /** Whether all that is wanted of a channel is heard. */
    receivesAll: (channelId: string): boolean => carrying?.carrier.receivesAll(channelId) ?? false,
    /** How many channels are heard in full, of how many. */
    counts: () => carrying?.carrier.counts() ?? { receiving: 0, wanted: 0 },
    async stop(): Promise<void> {
      stopLeaving();
      carrying?.carrier.stop();
      await dispatcher.settle();
    },
  };
}
