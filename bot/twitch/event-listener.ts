import { EventSubWsListener } from '@twurple/eventsub-ws';
import type { BotDeps } from '#bot/deps.ts';
import type { TwitchApi } from '#bot/twitch/api.ts';
import { twitchFaultOf } from '#bot/twitch/twitch-fault.ts';
import { pinoForTwurple } from '#bot/twitch/twurple-log.ts';
import type { Follower } from '#domain/channel/record-follows.ts';
import { minute } from '#domain/clock.ts';

/** What is heard of a channel. Each may come twice, late or never; whoever hears it copes with that. */
export interface EventHandlers {
  online(channelId: string, streamId: string, startedAtMs: number): Promise<void>;
  offline(channelId: string): Promise<void>;
  followed(channelId: string, follower: Follower): Promise<void>;
  /** Everything is heard from now on (again): what happened before may have been missed. */
  ready(channelId: string): void;
  /** Twitch refused or took back a subscription for lack of permission. */
  permissionDoubted(channelId: string): Promise<void>;
}

/** A socket that lacks a subscription for this long is given up and opened anew. System time. */
const PATIENCE_MS = minute;

interface Ear {
  listener: EventSubWsListener;
  /** Subscriptions that Twitch confirmed for the present socket; Twurple makes them anew for each. */
  heard: number;
  /** Since when it is as it is. */
  changedAtMs: number;
}

/** Online, offline, follow. */
const TOPICS = 3;
const isComplete = (ear: Ear): boolean => ear.heard >= TOPICS;

type Deps = Pick<BotDeps, 'log'> & {
  api: Pick<TwitchApi, 'clientFor'>;
  handlers: EventHandlers;
};

/**
 * Listens to EventSub with one WebSocket per broadcaster, as Twitch ties a socket to one user's token. Twurple answers
 * reconnect requests, notices sockets that fell silent, and drops messages that it has seen.
 */
export function listenToEvents({ log, api, handlers }: Deps) {
  const ears = new Map<string, Ear>();

  const open = (channelId: string): Ear => {
    const listener = new EventSubWsListener({
      apiClient: api.clientFor(channelId),
      logger: pinoForTwurple(log),
    });
    const ear: Ear = { listener, heard: 0, changedAtMs: Date.now() };
    const safely = (work: Promise<void>) => {
      work.catch((error) => log.error({ err: error, channelId }, 'an event was not handled'));
    };
    const hears = (heard: number) => Object.assign(ear, { heard, changedAtMs: Date.now() });
    listener.onSubscriptionCreateSuccess(() => {
      hears(ear.heard + 1);
      if (isComplete(ear)) handlers.ready(channelId);
    });
    listener.onUserSocketDisconnect(() => hears(0));
    listener.onSubscriptionCreateFailure((subscription, error) => {
      const fault = twitchFaultOf(error);
      log.warn({ channelId, subscription: subscription.id, code: fault.code }, 'an event is not heard');
      if (fault.retry === 'afterHuman') safely(handlers.permissionDoubted(channelId));
    });
    listener.onRevoke((_subscription, status) => {
      hears(0);
      if (status === 'authorization_revoked') safely(handlers.permissionDoubted(channelId));
    });
    listener.onStreamOnline(channelId, (event) => {
      // Reruns, premieres and watch parties are nobody's time with the streamer.
      if (event.type === 'live') safely(handlers.online(channelId, event.id, event.startDate.getTime()));
    });
    listener.onStreamOffline(channelId, () => safely(handlers.offline(channelId)));
    listener.onChannelFollow(channelId, channelId, (event) =>
      safely(
        handlers.followed(channelId, { twitchId: event.userId, followedAtMs: event.followDate.getTime() }),
      ),
    );
    listener.start();
    return ear;
  };

  const close = (channelId: string) => {
    ears.get(channelId)?.listener.stop();
    ears.delete(channelId);
  };

  return {
    /** Listens to exactly these channels from now on. */
    keepTo(channelIds: readonly string[]): void {
      const wanted = new Set(channelIds);
      for (const [channelId, ear] of ears) {
        const ailing = !isComplete(ear) && Date.now() - ear.changedAtMs > PATIENCE_MS;
        if (ailing || !wanted.has(channelId)) close(channelId);
      }
      for (const channelId of wanted) if (!ears.has(channelId)) ears.set(channelId, open(channelId));
    },
    /** How many channels are heard in full, of how many. */
    counts: () => ({
      heard: [...ears.values()].filter(isComplete).length,
      wanted: ears.size,
    }),
    stop(): void {
      for (const channelId of [...ears.keys()]) close(channelId);
    },
  };
}
