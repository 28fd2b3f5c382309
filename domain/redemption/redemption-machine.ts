import type { RedemptionState, Settlement } from '#db/schema/redemption.ts';
import type { RewardState } from '#db/schema/reward.ts';
import { defineMachine, type EventOf } from '#domain/machine.ts';

/**
 * Channel points that a viewer spent: kept by the streamer, or given back. Twitch undoes neither; an end that we only
 * believed is opened again when Twitch speaks of it after all.
 */
export const redemptionMachine = defineMachine({
  open: { fulfilled: 'fulfilled', refunded: 'refunded' },
  fulfilled: { reopened: 'open' },
  refunded: { reopened: 'open' },
} satisfies Record<RedemptionState, Record<string, RedemptionState>>);

export type RedemptionEvent = EventOf<typeof redemptionMachine.table>;

/** Every status that Twitch reports of a redemption. */
export type TwitchRedemptionStatus = 'UNFULFILLED' | 'FULFILLED' | 'CANCELED';

/** What each of them means for ours, whoever brought it about: we, or the streamer by hand. Null: nothing yet. */
export const eventOfStatus = {
  UNFULFILLED: null,
  FULFILLED: 'fulfilled',
  CANCELED: 'refunded',
} as const satisfies Record<TwitchRedemptionStatus, RedemptionEvent | null>;

/** What Twitch is to be told for each wish of ours. */
export const statusOfSettlement = {
  fulfil: 'FULFILLED',
  refund: 'CANCELED',
} as const satisfies Record<Settlement, TwitchRedemptionStatus>;

/** What an end that turns out to be none was wished for. */
export const settlementForEnd = {
  fulfilled: 'fulfil',
  refunded: 'refund',
} as const satisfies Record<Exclude<RedemptionState, 'open'>, Settlement>;

/** What becomes of the points when the reward that they were spent on comes to a state; null: they wait. */
export const settlementForReward = {
  free: null,
  promised: null,
  reserved: null,
  claimed: 'fulfil',
  recalled: 'refund',
} as const satisfies Record<RewardState, Settlement | null>;
