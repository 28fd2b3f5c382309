import type { Notification } from '#bot/twitch/events/event-message.ts';
import type { Topic } from '#bot/twitch/events/event-topics.ts';

/** The topics wanted for each channel. */
export type WantedSubscription = ReadonlyMap<string, readonly Topic[]>;

/** Two that say the same as one object, by which others recognise that nothing has changed. */
export const knownUnlessChanged = <W extends WantedSubscription | null>(known: W, next: W): W =>
  known !== null && next !== null && areSame(known, next) ? known : next;

function areSame(known: WantedSubscription, next: WantedSubscription): boolean {
  if (known.size !== next.size) return false;
  for (const [channelId, topics] of next) {
    const before = known.get(channelId);
    if (before?.length !== topics.length) return false;
    for (const [place, { type, readerId }] of topics.entries())
      if (before[place]?.type !== type || before[place]?.readerId !== readerId) return false;
  }
  return true;
}

/** What became of the wish for a topic. */
export type SubscriptionState =
  | { is: 'made' }
  /** Not asked for, or no answer yet. */
  | { is: 'missing' }
  /**
   * For lack of permission, because the chat account is banned there, or for a reason that asking again does not change.
   * `times` counts refusals in a row; `atMs` is system time.
   */
  | { is: 'refused' | 'banned' | 'failed'; atMs: number; times: number };

/** Carries events from Twitch to us: one socket per broadcaster, or one conduit for all. */
export interface EventCarrier {
  /**
   * Subscribes to exactly these topics, and to these chats (null: to those that are subscribed). Called on every possible
   * change and at intervals.
   */
  setWanted(wanted: WantedSubscription, chats: WantedSubscription | null): void;
  stateOf(channelId: string, topic: Topic): SubscriptionState;
  /** Whether all wanted topics of a channel are subscribed. */
  receivesAll(channelId: string): boolean;
  /**
   * How many channels have all their topics subscribed, and how many are wanted. `areElsewhere`: another process receives
   * the events, and this one waits to take over.
   */
  counts(): { receiving: number; wanted: number; areElsewhere: boolean };
  stop(): void;
}

/** Callbacks of a carrier. */
export interface CarrierEvents {
  /** At least once each, in any order. */
  notified(notification: Notification): void;
  /** Events may be missed from now on, until `subscribed`. Called before the first event can arrive. */
  mayMiss(channelId: string, topic: Topic): void;
  /** A topic is (again) subscribed; earlier events may have been missed. */
  subscribed(channelId: string, topic: Topic): void;
  /** Twitch refused or took back a subscription for lack of permission. */
  permissionRefused(channelId: string): void;
  /** Twitch took back a chat, perhaps for what its chat account withdrew. */
  chatRevoked(): void;
}

/** Reasons for which Twitch revokes a subscription because a user withdrew something. */
const personalReasons = new Set(['authorization_revoked', 'moderator_removed', 'user_removed']);
export const isPersonal = (status: string): boolean => personalReasons.has(status);
