import type { Notification } from '#bot/twitch/events/event-message.ts';
import type { Topic } from '#bot/twitch/events/event-topics.ts';

/** The topics wanted for each channel. */
export type WantedSubscription = ReadonlyMap<string, readonly Topic[]>;

/**
 * Returns the known object if the next one equals it, so that others recognize by identity that nothing has
 * changed.
 */
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

/** The state of a wanted topic's subscription. */
export type SubscriptionState =
  | { is: 'made' }
  /** Not requested, or no answer yet. */
  | { is: 'missing' }
  /**
   * Refused for lack of permission, because the chat account is banned there, or for a reason that another
   * request does not change. `times` counts refusals in a row; `atMs` is system time.
   */
  | { is: 'refused' | 'banned' | 'failed'; atMs: number; times: number };

/** Carries events from Twitch to us: one socket per broadcaster, or one conduit for all. */
export interface EventCarrier {
  /**
   * Subscribes to exactly these topics and these chats; null leaves the subscribed chats as they are. Called
   * on every possible change and at intervals.
   */
  setWanted(wanted: WantedSubscription, chats: WantedSubscription | null): void;
  stateOf(channelId: string, topic: Topic): SubscriptionState;
  /** Returns whether all wanted topics of a channel are subscribed. */
  receivesAll(channelId: string): boolean;
  /**
   * Counts the channels that have all their topics subscribed, and those that are wanted. `areElsewhere`:
   * another process receives the events, and this one waits to take over.
   */
  counts(): { receiving: number; wanted: number; areElsewhere: boolean };
  stop(): void;
}

/** Callbacks of a carrier. */
export interface CarrierEvents {
  /** Called at least once for each notification, in any order. */
  notified(notification: Notification): void;
  /** Events may be missed from now on, until `subscribed`. Called before the first event can arrive. */
  mayMiss(channelId: string, topic: Topic): void;
  /** A topic is (again) subscribed; earlier events may have been missed. */
  subscribed(channelId: string, topic: Topic): void;
  /** Twitch refused or took back a subscription for lack of permission. */
  permissionRefused(channelId: string): void;
  /** Called when Twitch revoked a chat, perhaps because its chat account withdrew something. */
  chatRevoked(): void;
}

/** Reasons for which Twitch revokes a subscription because a user withdrew something. */
const personalReasons = new Set(['authorization_revoked', 'moderator_removed', 'user_removed']);
export const isPersonal = (status: string): boolean => personalReasons.has(status);
