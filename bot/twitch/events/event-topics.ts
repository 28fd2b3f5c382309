import { z } from 'zod';
import { subscriberTierOf } from '#bot/twitch/channel/subscriber-tier.ts';
import type { SubscriberTier } from '#db/schema/rule.ts';
import type { streamerScopes } from '#domain/account/twitch/twitch-scopes.ts';
import type { WatchedChannel } from '#domain/channel/list-watched-channels.ts';
import type { Follower } from '#domain/channel/record-follows.ts';
import type { ReportedRedemption } from '#domain/redemption/record-redemption.ts';

/** Who hears of what happens. Each may be told twice, late or never, and copes with that. */
export interface EventHandlers {
  streams: {
    online(channelId: string, streamId: string, startedAtMs: number): Promise<void>;
    offline(channelId: string): Promise<void>;
    /** Asks soon which channels are live. */
    catchUp(): void;
  };
  follows: { handleFollow(channelId: string, follower: Follower): Promise<void> };
  subscribers: {
    handleSubscription(
      channelId: string,
      change: { twitchId: string; tier: SubscriberTier; ended: boolean },
    ): Promise<void>;
    /** Reads the channel's list of subscribers soon. */
    catchUp(channelId: string): void;
  };
  redemptions: {
    handleRedemption(channelId: string, redemption: ReportedRedemption): Promise<void>;
    /** What is heard from now on may come before what was missed. */
    mayMiss(channelId: string): void;
    /** Reads the redemptions that wait on the channel soon. */
    catchUp(channelId: string): void;
  };
}

/** What a message says, understood, and what is to be done about it. */
export interface ParsedEvent {
  /** Messages about the same thing are heard in the order in which they were sent; null: the order does not matter. */
  about: string | null;
  handle(channelId: string): Promise<void>;
}

/** One kind of event, in Twitch's words, and what becomes of it here. */
export interface Topic {
  type: string;
  version: string;
  /** The permission of the broadcaster without which Twitch refuses it. */
  scope: (typeof streamerScopes)[number] | null;
  condition(channelId: string): Record<string, string>;
  /** Whether anything on the channel depends on it now. */
  isNeeded(channel: WatchedChannel): boolean;
  /** Throws when the event is not what Twitch documents. Null: of no concern. */
  parse(event: unknown): ParsedEvent | null;
  /** Finds what was missed, each time that the topic is heard (again). Null: something else does, as the topic says. */
  catchUp: ((channelId: string) => void) | null;
  /** Told as soon as something may be missed, where what is heard has to wait for what was missed. */
  mayMiss?: (channelId: string) => void;
}

const id = z.string().min(1);
const time = z.string().transform((text, context) => {
  const ms = Date.parse(text);
  if (Number.isFinite(ms)) return ms;
  context.addIssue('is not a time');
  return z.NEVER;
});
const tier = z.string().transform(subscriberTierOf);

const ofBroadcaster = (channelId: string) => ({ broadcaster_user_id: channelId });

/** The one list of what is heard of a channel. A new kind of event is a new entry, and nothing else. */
export const eventTopics = (handlers: EventHandlers): readonly Topic[] => [
  ...streamTopics(handlers),
  ...followTopics(handlers),
  ...subscriberTopics(handlers),
  ...redemptionTopics(handlers),
];

const streamTopics = ({ streams }: EventHandlers): Topic[] => [
  {
    type: 'stream.online',
    version: '1',
    scope: null,
    condition: ofBroadcaster,
    isNeeded: () => true,
    parse(event) {
      const stream = z.object({ id, type: z.string(), started_at: time }).parse(event);
      // Reruns, premieres and watch parties are nobody's time with the streamer.
      if (stream.type !== 'live') return null;
      return {
        about: 'stream',
        handle: (channelId) => streams.online(channelId, stream.id, stream.started_at),
      };
    },
    catchUp: streams.catchUp,
  },
  {
    type: 'stream.offline',
    version: '1',
    scope: null,
    condition: ofBroadcaster,
    isNeeded: () => true,
    parse: () => ({ about: 'stream', handle: streams.offline }),
    catchUp: streams.catchUp,
  },
];

const followTopics = ({ follows }: EventHandlers): Topic[] => [
  {
    type: 'channel.follow',
    version: '2',
    scope: 'moderator:read:followers',
    condition: (channelId) => ({ ...ofBroadcaster(channelId), moderator_user_id: channelId }),
    isNeeded: (channel) => channel.needsFollows,
    parse(event) {
      const { user_id, followed_at } = z.object({ user_id: id, followed_at: time }).parse(event);
      const follower = { twitchId: user_id, followedAtMs: followed_at };
      return { about: null, handle: (channelId) => follows.handleFollow(channelId, follower) };
    },
    // Rules ask for days: the complete list, read every few hours, is early enough.
    catchUp: null,
  },
];

function subscriberTopics({ subscribers }: EventHandlers): Topic[] {
  const common = {
    version: '1',
    scope: 'channel:read:subscriptions',
    condition: ofBroadcaster,
    isNeeded: (channel: WatchedChannel) => channel.needsSubscribers,
    catchUp: subscribers.catchUp,
  } as const;
  const ofOne = (type: string, ended: boolean): Topic => ({
    ...common,
    type,
    parse(event) {
      const { user_id, tier: given } = z.object({ user_id: id, tier }).parse(event);
      const change = { twitchId: user_id, tier: given, ended };
      return {
        about: `subscriber ${user_id}`,
        handle: (channelId) => subscribers.handleSubscription(channelId, change),
      };
    },
  });
  return [
    ofOne('channel.subscribe', false),
    ofOne('channel.subscription.message', false),
    ofOne('channel.subscription.end', true),
    {
      ...common,
      type: 'channel.subscription.gift',
      // It names the giver alone. Each person who got one is told by `channel.subscribe`; the list finds the rest.
      parse: () => ({ about: null, handle: async (channelId) => subscribers.catchUp(channelId) }),
    },
  ];
}

/** Twitch has one more, `unknown`, which tells nothing. */
const redemptionStatus = z.enum(['unfulfilled', 'fulfilled', 'canceled', 'unknown']);
const redemption = z.object({
  id,
  user_id: id,
  reward: z.object({ id }),
  status: redemptionStatus,
  redeemed_at: time,
});

function redemptionTopics({ redemptions }: EventHandlers): Topic[] {
  const parse = (event: unknown): ParsedEvent | null => {
    const { status, ...given } = redemption.parse(event);
    if (status === 'unknown') return null;
    const reported: ReportedRedemption = {
      id: given.id,
      twitchRewardId: given.reward.id,
      twitchId: given.user_id,
      redeemedAtMs: given.redeemed_at,
      status: status.toUpperCase() as Uppercase<typeof status>,
    };
    // Ends are final, and beginnings wait for those that were missed: in which order they come does not matter.
    return { about: null, handle: (channelId) => redemptions.handleRedemption(channelId, reported) };
  };
  return (['add', 'update'] as const).map((happened) => ({
    type: `channel.channel_points_custom_reward_redemption.${happened}`,
    version: '1',
    scope: 'channel:manage:redemptions',
    condition: ofBroadcaster,
    isNeeded: (channel) => channel.needsRedemptions,
    parse,
    catchUp: redemptions.catchUp,
    mayMiss: redemptions.mayMiss,
  }));
}
