import { gameId } from './games.ts';
import type { TwitchWorld } from './world.ts';
import type { ChannelSubscription, ChatLine, Redemption, WorldEvent } from './world-state.ts';

export type Condition = Record<string, string>;

export interface Topic {
  version: string;
  /** The user in `authorizedBy` must have granted one of these; empty: any user token will do. */
  scopes: readonly string[];
  /** The field of the condition that must name the token's user. */
  authorizedBy: string | null;
  required: readonly string[];
  /** Returns whether an application may subscribe, for topics with other requirements. */
  allowsApplication?(world: TwitchWorld, condition: Condition): boolean;
  /** The event in Twitch's format, or null when it does not match the condition. */
  eventOf(world: TwitchWorld, happened: WorldEvent, condition: Condition): Record<string, unknown> | null;
}

const subscriptionScopes = ['channel:read:subscriptions'];
const redemptionScopes = ['channel:read:redemptions', 'channel:manage:redemptions'];
const ofBroadcaster = { required: ['broadcaster_user_id'], authorizedBy: 'broadcaster_user_id' };

/** The subscription types that the sandbox supports. */
export const topics: Readonly<Record<string, Topic>> = {
  'stream.online': {
    ...ofBroadcaster,
    version: '1',
    scopes: [],
    authorizedBy: null,
    eventOf: (world, happened, condition) =>
      happened.type === 'online' && happened.stream.broadcasterId === condition.broadcaster_user_id
        ? {
            id: happened.stream.id,
            ...broadcaster(world, happened.stream.broadcasterId),
            type: happened.stream.type ?? 'live',
            started_at: isoTime(happened.stream.startedAtMs),
          }
        : null,
  },
  'stream.offline': {
    ...ofBroadcaster,
    version: '1',
    scopes: [],
    authorizedBy: null,
    eventOf: (world, happened, condition) =>
      happened.type === 'offline' && happened.broadcasterId === condition.broadcaster_user_id
        ? // Since June 2026 it names the stream (twitch-rs/twitch_api pull 538).
          { id: happened.streamId, ...broadcaster(world, happened.broadcasterId) }
        : null,
  },
  'channel.update': {
    ...ofBroadcaster,
    version: '2',
    scopes: [],
    authorizedBy: null,
    eventOf: (world, happened, condition) =>
      happened.type === 'channelUpdated' && happened.broadcasterId === condition.broadcaster_user_id
        ? channelUpdate(world, happened.broadcasterId)
        : null,
  },
  'channel.follow': {
    version: '2',
    scopes: ['moderator:read:followers'],
    required: ['broadcaster_user_id', 'moderator_user_id'],
    authorizedBy: 'moderator_user_id',
    eventOf: (world, happened, condition) =>
      happened.type === 'followed' && happened.follow.broadcasterId === condition.broadcaster_user_id
        ? {
            ...person(world, happened.follow.userId),
            ...broadcaster(world, happened.follow.broadcasterId),
            followed_at: isoTime(happened.follow.followedAtMs),
          }
        : null,
  },
  'channel.subscribe': {
    ...ofBroadcaster,
    version: '1',
    scopes: subscriptionScopes,
    eventOf: (world, happened, condition) =>
      happened.type === 'subscribed' ? subscriptionEvent(world, happened.subscription, condition) : null,
  },
  'channel.subscription.end': {
    ...ofBroadcaster,
    version: '1',
    scopes: subscriptionScopes,
    eventOf: (world, happened, condition) =>
      happened.type === 'subscriptionEnded'
        ? subscriptionEvent(world, happened.subscription, condition)
        : null,
  },
  'channel.subscription.gift': {
    ...ofBroadcaster,
    version: '1',
    scopes: subscriptionScopes,
    eventOf: (world, happened, condition) =>
      happened.type === 'gifted' && happened.broadcasterId === condition.broadcaster_user_id
        ? giftEvent(world, happened)
        : null,
  },
  'channel.subscription.message': {
    ...ofBroadcaster,
    version: '1',
    scopes: subscriptionScopes,
    eventOf: (world, happened, condition) =>
      happened.type === 'resubscribed' ? resubscriptionEvent(world, happened.subscription, condition) : null,
  },
  'channel.channel_points_custom_reward_redemption.add': {
    ...ofBroadcaster,
    version: '1',
    scopes: redemptionScopes,
    eventOf: (world, happened, condition) =>
      happened.type === 'redeemed' ? redemptionEvent(world, happened.redemption, condition) : null,
  },
  'channel.channel_points_custom_reward_redemption.update': {
    ...ofBroadcaster,
    version: '1',
    scopes: redemptionScopes,
    eventOf: (world, happened, condition) =>
      happened.type === 'redemptionUpdated' ? redemptionEvent(world, happened.redemption, condition) : null,
  },
  'channel.chat.message': {
    version: '1',
    scopes: ['user:read:chat'],
    required: ['broadcaster_user_id', 'user_id'],
    authorizedBy: 'user_id',
    allowsApplication: mayReadChat,
    eventOf: (world, happened, condition) =>
      happened.type === 'said' && !happened.line.notice ? chatEvent(world, happened.line, condition) : null,
  },
  // Resubscriptions' messages and announcements are no `channel.chat.message`
  // (dev.twitch.tv/docs/eventsub/eventsub-reference, "Channel Chat Notification Event").
  'channel.chat.notification': {
    version: '1',
    scopes: ['user:read:chat'],
    required: ['broadcaster_user_id', 'user_id'],
    authorizedBy: 'user_id',
    allowsApplication: mayReadChat,
    eventOf: (world, happened, condition) =>
      happened.type === 'said' && happened.line.notice ? noticeEvent(world, happened.line, condition) : null,
  },
};

/** Times in events, which Twitch writes with nanoseconds. */
export function isoTime(ms: number): string {
  return new Date(ms).toISOString().replace('Z', '000000Z');
}

function broadcaster(world: TwitchWorld, userId: string) {
  const user = world.userById(userId);
  return {
    broadcaster_user_id: userId,
    broadcaster_user_login: user?.login ?? '',
    broadcaster_user_name: user?.displayName ?? '',
  };
}

function person(world: TwitchWorld, userId: string) {
  const user = world.userById(userId);
  return { user_id: userId, user_login: user?.login ?? '', user_name: user?.displayName ?? '' };
}

function channelUpdate(world: TwitchWorld, broadcasterId: string) {
  const channel = world.userById(broadcasterId)?.channel ?? { title: '', gameName: '' };
  return {
    ...broadcaster(world, broadcasterId),
    title: channel.title,
    language: 'en',
    category_id: gameId(channel.gameName),
    category_name: channel.gameName,
    content_classification_labels: [],
  };
}

function subscriptionEvent(world: TwitchWorld, subscription: ChannelSubscription, condition: Condition) {
  if (subscription.broadcasterId !== condition.broadcaster_user_id) return null;
  return {
    ...person(world, subscription.userId),
    ...broadcaster(world, subscription.broadcasterId),
    tier: subscription.tier,
    is_gift: subscription.isGift,
  };
}

function giftEvent(world: TwitchWorld, gift: { broadcasterId: string; tier: string; total: number }) {
  return {
    user_id: null,
    user_login: null,
    user_name: null,
    ...broadcaster(world, gift.broadcasterId),
    total: gift.total,
    tier: gift.tier,
    cumulative_total: null,
    is_anonymous: true,
  };
}

function resubscriptionEvent(world: TwitchWorld, subscription: ChannelSubscription, condition: Condition) {
  const event = subscriptionEvent(world, subscription, condition);
  if (!event) return null;
  const { is_gift: _, ...rest } = event;
  const message = { text: 'Still here', emotes: [] };
  return { ...rest, message, cumulative_months: 2, streak_months: null, duration_months: 1 };
}

function redemptionEvent(world: TwitchWorld, redemption: Redemption, condition: Condition) {
  if (redemption.broadcasterId !== condition.broadcaster_user_id) return null;
  if (condition.reward_id && condition.reward_id !== redemption.reward.id) return null;
  return {
    id: redemption.id,
    ...broadcaster(world, redemption.broadcasterId),
    ...person(world, redemption.userId),
    user_input: redemption.userInput,
    status: redemption.status.toLowerCase(),
    reward: redemption.reward,
    redeemed_at: isoTime(redemption.redeemedAtMs),
  };
}

/**
 * An application's bot needs `user:bot` of the chat account, and either `channel:bot` of the broadcaster or a moderator's
 * role (dev.twitch.tv/docs/eventsub/eventsub-subscription-types, "Channel Chat Message"). That it must not be banned is
 * believed, from the status `chat_user_banned`.
 */
function mayReadChat(world: TwitchWorld, { broadcaster_user_id = '', user_id = '' }: Condition): boolean {
  const hasGranted = (userId: string, scope: string) => world.tokens.hasGranted(userId, scope);
  if (!hasGranted(user_id, 'user:bot')) return false;
  if (broadcaster_user_id === user_id || world.isModerator(broadcaster_user_id, user_id)) return true;
  const isBanned = world.faults.chatRefusal(broadcaster_user_id, 'line')?.id === 'msg_banned';
  return !isBanned && hasGranted(broadcaster_user_id, 'channel:bot');
}

/** The fields are those of Twurple's EventSubChannelChatMessageEventData. */
function chatEvent(world: TwitchWorld, line: ChatLine, condition: Condition) {
  if (line.broadcasterId !== condition.broadcaster_user_id) return null;
  const chatter = person(world, line.userId);
  const source = line.sourceId === undefined ? null : broadcaster(world, line.sourceId);
  // As recorded (navarr/multi-stream-chat issue 22): `/me` keeps its marks in the text, not in the fragments.
  const shown = /^\p{Cc}ACTION (.*)\p{Cc}$/u.exec(line.text)?.[1] ?? line.text;
  return {
    ...broadcaster(world, line.broadcasterId),
    chatter_user_id: chatter.user_id,
    chatter_user_login: chatter.user_login,
    chatter_user_name: chatter.user_name,
    message_id: line.id,
    message: {
      text: line.text,
      fragments: [{ type: 'text', text: shown, cheermote: null, emote: null, mention: null }],
    },
    message_type: 'text',
    badges: badgesOf(world, line.broadcasterId, line.userId),
    cheer: null,
    color: '',
    reply: line.replyTo ? replyTo(world, line.replyTo) : null,
    channel_points_custom_reward_id: null,
    source_broadcaster_user_id: source?.broadcaster_user_id ?? null,
    source_broadcaster_user_login: source?.broadcaster_user_login ?? null,
    source_broadcaster_user_name: source?.broadcaster_user_name ?? null,
    source_message_id: source ? (line.sourceLineId ?? line.id) : null,
    source_badges: source ? [] : null,
    is_source_only: source ? (line.isSourceOnly ?? false) : null,
  };
}

/** A notice from another room of a shared chat has a type of its own (the same reference). */
function noticeEvent(world: TwitchWorld, line: ChatLine, condition: Condition) {
  const event = chatEvent(world, line, condition);
  if (!event) return null;
  const { message_type: _, reply: __, cheer: ___, channel_points_custom_reward_id: ____, ...common } = event;
  const isElsewhere = line.sourceId !== undefined && line.sourceId !== line.broadcasterId;
  return {
    ...common,
    chatter_is_anonymous: false,
    system_message: '',
    notice_type: `${isElsewhere ? 'shared_chat_' : ''}${line.notice}`,
    announcement: line.notice === 'announcement' ? { color: (line.color ?? 'primary').toUpperCase() } : null,
    resub: line.notice === 'resub' ? { cumulative_months: 2, sub_tier: '1000', is_prime: false } : null,
    watch_streak: line.notice === 'watch_streak' ? { streak_count: 5, channel_points_awarded: 350 } : null,
  };
}

function badgesOf(world: TwitchWorld, broadcasterId: string, userId: string) {
  const badge = (set_id: string) => ({ set_id, id: '1', info: '' });
  if (broadcasterId === userId) return [badge('broadcaster')];
  const role = world.moderators.roleOf(broadcasterId, userId);
  return role ? [badge(role)] : [];
}

function replyTo(world: TwitchWorld, parent: NonNullable<ChatLine['replyTo']>) {
  const author = person(world, parent.userId);
  return {
    parent_message_id: parent.id,
    parent_message_body: parent.text,
    parent_user_id: author.user_id,
    parent_user_login: author.user_login,
    parent_user_name: author.user_name,
    thread_message_id: parent.id,
    thread_user_id: author.user_id,
    thread_user_login: author.user_login,
    thread_user_name: author.user_name,
  };
}
