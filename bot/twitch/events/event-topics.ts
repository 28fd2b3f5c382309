import { z } from 'zod';
import { subscriberTierOf } from '#bot/twitch/channel/subscriber-tier.ts';
import type { SubscriberTier } from '#db/schema/rule.ts';
import type { Follower } from '#domain/channel/upsert-follows.ts';
import type { streamerScopes } from '#domain/identity/twitch/twitch-scopes.ts';
import type { ReportedRedemption } from '#domain/redemption/record-redemption.ts';
import type { WatchedChannel } from '#domain/rule/list-watched-channels.ts';

/** Handlers of all events. Events may arrive twice, late or never, and handlers tolerate that. */
export interface EventHandlers {
  streams: {
    online(channelId: string, streamId: string, startedAtMs: number): Promise<void>;
    /** `streamId` is null if the event did not name the stream. */
    offline(channelId: string, streamId: string | null): Promise<void>;
    /** Handles a broadcast that is no stream, although Twitch lists it like one. */
    repeat(channelId: string, streamId: string): Promise<void>;
    /** Polls soon which channels are live. */
    catchUp(): void;
  };
  follows: { handleFollow(channelId: string, follower: Follower): Promise<void> };
  subscribers: {
    handleSubscription(
      channelId: string,
      change: { twitchId: string; tier: SubscriberTier; ended: boolean },
    ): Promise<void>;
    /** Reads the channel's subscribers soon. */
    catchUp(channelId: string): void;
  };
  redemptions: {
    handleRedemption(channelId: string, redemption: ReportedRedemption): Promise<void>;
    /** New events may arrive before missed ones are read. */
    mayMiss(channelId: string): void;
    /** Reads the channel's open redemptions soon. */
    catchUp(channelId: string): void;
  };
}

/** A parsed message and its handler. */
export interface ParsedEvent {
  /**
   * Messages about the same subject are handled in the order in which they were sent. Null if the order does
   * not matter.
   */
  about: string | null;
  handle(channelId: string): Promise<void>;
}

/** One EventSub subscription type and how its events are handled. */
export interface Topic {
  type: string;
  version: string;
  /** The chat account that reads it, for topics of chat accounts. */
  readerId?: string;
  /** The scope without which Twitch refuses the subscription. */
  scope: (typeof streamerScopes)[number] | null;
  condition(channelId: string): Record<string, string>;
  /** Returns whether anything on the channel needs it now. */
  isNeeded(channel: WatchedChannel): boolean;
  /** Throws when the event does not match Twitch's documentation. Null if it is not relevant. */
  parse(event: unknown): ParsedEvent | null;
  /**
   * Finds missed events each time the topic is (again) subscribed. Null if something else does, as the topic
   * explains.
   */
  catchUp: ((channelId: string) => void) | null;
  /** True if its events only repeat what others report, so that it is subscribed after all others. */
  isSpare?: true;
  /** Called as soon as events may be missed, for topics whose new events have to wait for missed ones. */
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

/** All events that we subscribe to. Adding one takes an entry here and nothing else. */
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
      // Reruns, premieres and watch parties do not count as streams.
      if (stream.type !== 'live')
        return { about: 'stream', handle: (channelId) => streams.repeat(channelId, stream.id) };
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
    parse(event) {
      const { id: ended } = z.object({ id: id.nullish() }).parse(event);
      return { about: 'stream', handle: (channelId) => streams.offline(channelId, ended ?? null) };
    },
    catchUp: streams.catchUp,
  },
];

const followTopics = ({ follows }: EventHandlers): Topic[] => [
  {
    type: 'channel.follow',
    version: '2',
    scope: 'moderator:read:followers',
    condition: (channelId) => ({ ...ofBroadcaster(channelId), moderator_user_id: channelId }),
    isNeeded: (channel) => channel.needs.follow,
    parse(event) {
      const { user_id, followed_at } = z.object({ user_id: id, followed_at: time }).parse(event);
      const follower = { twitchId: user_id, followedAtMs: followed_at };
      return { about: null, handle: (channelId) => follows.handleFollow(channelId, follower) };
    },
    // Rules count in days, so the complete list, read every few hours, is early enough.
    catchUp: null,
  },
];

function subscriberTopics({ subscribers }: EventHandlers): Topic[] {
  const common = {
    version: '1',
    scope: 'channel:read:subscriptions',
    condition: ofBroadcaster,
    isNeeded: (channel: WatchedChannel) => channel.needs.subscriber,
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
      isSpare: true,
      // It names only the gifter. Each recipient is reported by `channel.subscribe`; the list shows the rest.
      parse: () => ({ about: null, handle: async (channelId) => subscribers.catchUp(channelId) }),
    },
  ];
}

/** Twitch also has `unknown`, which is ignored. */
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
    // Ends are final, and new redemptions wait for missed ones, so the order of arrival does not matter.
    return { about: null, handle: (channelId) => redemptions.handleRedemption(channelId, reported) };
  };
  return (['add', 'update'] as const).map((happened) => ({
    type: `channel.channel_points_custom_reward_redemption.${happened}`,
    version: '1',
    scope: 'channel:manage:redemptions',
    condition: ofBroadcaster,
    isNeeded: (channel) => channel.needs.points,
    parse,
    catchUp: redemptions.catchUp,
    mayMiss: redemptions.mayMiss,
  }));
}
