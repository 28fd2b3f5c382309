// The records of the sandbox's Twitch: plain data that survives JSON.stringify unchanged.

export type BroadcasterType = '' | 'affiliate' | 'partner';
export type Tier = '1000' | '2000' | '3000';

export interface TwitchUser {
  id: string;
  login: string;
  displayName: string;
  broadcasterType: BroadcasterType;
  email: string;
  createdAtMs: number;
  /** The channel page's title and game, kept while offline. */
  channel: { title: string; gameName: string };
}

export interface Stream {
  id: string;
  broadcasterId: string;
  title: string;
  gameName: string;
  startedAtMs: number;
  /** The event's type; Get Streams lists a rerun like a stream (sogeBot issue 538). Default `live`. */
  type?: 'live' | 'rerun';
  /** Number of people who watch without being in the chat: closed, on a TV or signed out. */
  outsideChat?: number;
}

/** One stay in a chat. With `leftAtMs` the stay remains on the list for as long as the list lags. */
export interface ChatterStay {
  userId: string;
  joinedAtMs: number;
  leftAtMs: number | null;
}

export interface Follow {
  broadcasterId: string;
  userId: string;
  followedAtMs: number;
}

export interface ChannelSubscription {
  broadcasterId: string;
  userId: string;
  tier: Tier;
  isGift: boolean;
}

/** The origin of a chat line, if it is not simply its room. */
export interface LineOrigin {
  /** The line that it answers; Twitch puts `@name` before such a text. */
  replyTo?: { id: string; userId: string; text: string };
  /** The room where it was written, if that is another one of a shared chat. */
  sourceId?: string;
  /** True if only the room where it was written shows it, though that shares its chat. */
  isSourceOnly?: boolean;
  /** The id of the line as it was written there. */
  sourceLineId?: string;
  /** The kind of notice that shows it, if it came with one: Twitch sends such a line in another form. */
  notice?: 'resub' | 'announcement' | 'watch_streak';
  /** The color of an announcement; absent if it is `primary` because nobody chose one. */
  color?: 'blue' | 'green' | 'orange' | 'purple' | 'primary';
}

export interface ChatLine extends LineOrigin {
  id: string;
  broadcasterId: string;
  userId: string;
  text: string;
  sentAtMs: number;
}

export interface CustomReward {
  id: string;
  /** The application that created the reward; only it can change the reward and its redemptions. */
  clientId: string;
  broadcasterId: string;
  title: string;
  prompt: string;
  cost: number;
  backgroundColor: string;
  isEnabled: boolean;
  isPaused: boolean;
  isUserInputRequired: boolean;
  maxPerStream: number | null;
  maxPerUserPerStream: number | null;
  globalCooldownSeconds: number | null;
  skipsRequestQueue: boolean;
}

export type RedemptionStatus = 'UNFULFILLED' | 'FULFILLED' | 'CANCELED';

export interface Redemption {
  id: string;
  broadcasterId: string;
  userId: string;
  /** The reward at the time of redemption: Twitch shows old prices on old redemptions. */
  reward: { id: string; title: string; prompt: string; cost: number };
  userInput: string;
  status: RedemptionStatus;
  redeemedAtMs: number;
}

export interface IssuedToken {
  accessToken: string;
  /** Null for application tokens. */
  refreshToken: string | null;
  clientId: string;
  /** Null for application tokens. */
  userId: string | null;
  scopes: string[];
  /** System time: token lifetimes do not follow the world's clock. */
  expiresAtMs: number;
}

export interface WorldState {
  version: 1;
  nextUserNumber: number;
  nextStreamNumber: number;
  nextChatterNumber: number;
  chatterLagSeconds: number;
  users: TwitchUser[];
  streams: Stream[];
  lastStreams: Stream[];
  stays: Record<string, ChatterStay[]>;
  moderators: Record<string, string[]>;
  leadModerators: Record<string, string[]>;
  follows: Follow[];
  subscriptions: ChannelSubscription[];
  rewards: CustomReward[];
  redemptions: Redemption[];
  /** Channel points, by `<broadcaster id> <user id>`. */
  balances: Record<string, number>;
  chat: ChatLine[];
  tokens: IssuedToken[];
  /** Ids of the accounts that Twitch suspended. */
  suspended: string[];
}

export interface TwitchWorldOptions {
  /** World time in milliseconds, for streams and follows. */
  now: () => number;
  /** Called after every change that affects `toJSON`. */
  onChange?: () => void;
}

export function emptyWorldState(): WorldState {
  return {
    version: 1,
    nextUserNumber: 100_001,
    nextStreamNumber: 40_000_000_001,
    nextChatterNumber: 1,
    chatterLagSeconds: 0,
    users: [],
    streams: [],
    lastStreams: [],
    stays: {},
    moderators: {},
    leadModerators: {},
    follows: [],
    subscriptions: [],
    rewards: [],
    redemptions: [],
    balances: {},
    chat: [],
    tokens: [],
    suspended: [],
  };
}

/** An invalid request to the world, such as a taken login. The message is for people. */
export class TwitchWorldError extends Error {
  override name = 'TwitchWorldError';
}

/** An event in the world, for those who notify clients. */
export type WorldEvent =
  | { type: 'online'; stream: Stream }
  | { type: 'offline'; broadcasterId: string; streamId: string }
  | { type: 'channelUpdated'; broadcasterId: string }
  | { type: 'followed'; follow: Follow }
  | { type: 'subscribed'; subscription: ChannelSubscription }
  /** The gifter is anonymous; each recipient is reported by `subscribed`. */
  | { type: 'gifted'; broadcasterId: string; tier: Tier; total: number }
  | { type: 'resubscribed'; subscription: ChannelSubscription }
  | { type: 'subscriptionEnded'; subscription: ChannelSubscription }
  | { type: 'redeemed'; redemption: Redemption }
  | { type: 'redemptionUpdated'; redemption: Redemption }
  | { type: 'said'; line: ChatLine }
  | { type: 'authorizationRevoked'; userId: string }
  | { type: 'suspended'; userId: string }
  | { type: 'moderatorsChanged'; broadcasterId: string; userId: string };

/** The inner map of a key, created on first use. */
export function inner<V>(outer: Map<string, Map<string, V>>, key: string): Map<string, V> {
  const found = outer.get(key) ?? new Map<string, V>();
  outer.set(key, found);
  return found;
}
