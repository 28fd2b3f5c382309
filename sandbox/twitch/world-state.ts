// The plain records the sandbox's Twitch consists of. All of them survive JSON.stringify unchanged.

export type BroadcasterType = '' | 'affiliate' | 'partner';
export type Tier = '1000' | '2000' | '3000';

export interface TwitchUser {
  id: string;
  login: string;
  displayName: string;
  broadcasterType: BroadcasterType;
  email: string;
  createdAtMs: number;
  /** What the channel page says; kept while the channel is offline. */
  channel: { title: string; gameName: string };
}

export interface Stream {
  id: string;
  broadcasterId: string;
  title: string;
  gameName: string;
  startedAtMs: number;
}

/** One stay in a chat. `leftAtMs` keeps the row visible for as long as the list lags behind. */
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

export interface ChatLine {
  id: string;
  broadcasterId: string;
  userId: string;
  text: string;
  sentAtMs: number;
}

export interface CustomReward {
  id: string;
  /** The application that created the reward; only it may change the reward or its redemptions. */
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
  /** The reward as it was when it was redeemed: Twitch shows old prices on old redemptions. */
  reward: { id: string; title: string; prompt: string; cost: number };
  userInput: string;
  status: RedemptionStatus;
  redeemedAtMs: number;
}

export interface IssuedToken {
  accessToken: string;
  /** Missing on application tokens. */
  refreshToken: string | null;
  clientId: string;
  /** null = an application token. */
  userId: string | null;
  scopes: string[];
  /** System time, as token lifetimes do not follow the world's clock. */
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
  follows: Follow[];
  subscriptions: ChannelSubscription[];
  rewards: CustomReward[];
  redemptions: Redemption[];
  /** Channel points, by `<broadcaster id> <user id>`. */
  balances: Record<string, number>;
  chat: ChatLine[];
  tokens: IssuedToken[];
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
    follows: [],
    subscriptions: [],
    rewards: [],
    redemptions: [],
    balances: {},
    chat: [],
    tokens: [],
  };
}

/** A request to the world that makes no sense, such as a taken login. The message is for people. */
export class TwitchWorldError extends Error {
  override name = 'TwitchWorldError';
}

/** What happened in the world, for those who have to tell clients about it. */
export type WorldEvent =
  | { type: 'online'; stream: Stream }
  | { type: 'offline'; broadcasterId: string }
  | { type: 'channelUpdated'; broadcasterId: string }
  | { type: 'followed'; follow: Follow }
  | { type: 'subscribed'; subscription: ChannelSubscription }
  /** Somebody unnamed gave it; who got it is told by `subscribed`. */
  | { type: 'gifted'; broadcasterId: string; tier: Tier; total: number }
  | { type: 'resubscribed'; subscription: ChannelSubscription }
  | { type: 'subscriptionEnded'; subscription: ChannelSubscription }
  | { type: 'redeemed'; redemption: Redemption }
  | { type: 'redemptionUpdated'; redemption: Redemption }
  | { type: 'said'; line: ChatLine }
  | { type: 'authorizationRevoked'; userId: string };

/** The map of one broadcaster, made at its first use. */
export function inner<V>(outer: Map<string, Map<string, V>>, key: string): Map<string, V> {
  const found = outer.get(key) ?? new Map<string, V>();
  outer.set(key, found);
  return found;
}
