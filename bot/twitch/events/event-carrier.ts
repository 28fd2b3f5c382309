import type { Notification } from '#bot/twitch/events/event-message.ts';
import type { Topic } from '#bot/twitch/events/event-topics.ts';

/** What is to be heard of each channel. */
export type WantedSubscription = ReadonlyMap<string, readonly Topic[]>;

/** Carries events from Twitch to us: one socket per broadcaster, or one conduit for all. */
export interface EventCarrier {
  /** Hears exactly this from now on. Called whenever it may be different, and now and then all the same. */
  setWanted(wanted: WantedSubscription): void;
  /** Whether all that is wanted of a channel is heard. */
  receivesAll(channelId: string): boolean;
  /** How many channels are heard in full, of how many. */
  counts(): { receiving: number; wanted: number };
  stop(): void;
}

/** Whom a carrier tells. */
export interface CarrierEvents {
  /** At least once each, in any order. */
  notified(notification: Notification): void;
  /** What happens may not be heard from now on, until `hears`: told before the first event can come. */
  mayMiss(channelId: string, topic: Topic): void;
  /** A topic is heard from now on (again): what happened before may have been missed. */
  subscribed(channelId: string, topic: Topic): void;
  /** Twitch refused or took back a subscription for lack of permission. */
  permissionDoubted(channelId: string): void;
}

/** Words with which Twitch ends a subscription because a person took something back. */
const personalReasons = new Set(['authorization_revoked', 'moderator_removed', 'user_removed']);
export const isPersonal = (status: string): boolean => personalReasons.has(status);
