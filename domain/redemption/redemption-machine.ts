import type { RedemptionState, Settlement } from '#db/schema/redemption.ts';
import { defineMachine, type EventOf } from '#domain/kernel/machine.ts';

/**
 * The life of channel points a viewer spent: fulfilled or refunded. Twitch never undoes either; an end that we only
 * assumed is reopened when Twitch reports the redemption again.
 */
export const redemptionMachine = defineMachine({
  open: { fulfilled: 'fulfilled', refunded: 'refunded' },
  fulfilled: { reopened: 'open' },
  refunded: { reopened: 'open' },
} satisfies Record<RedemptionState, Record<string, RedemptionState>>);

export type RedemptionEvent = EventOf<typeof redemptionMachine.table>;

/** Every redemption status Twitch reports. */
export type TwitchRedemptionStatus = 'UNFULFILLED' | 'FULFILLED' | 'CANCELED';

/** The event for each Twitch status, whether we or the streamer caused it. Null: still open. */
export const eventOfStatus = {
  UNFULFILLED: null,
  FULFILLED: 'fulfilled',
  CANCELED: 'refunded',
} as const satisfies Record<TwitchRedemptionStatus, RedemptionEvent | null>;

/** The Twitch status that each settlement requests. */
export const statusOfSettlement = {
  fulfil: 'FULFILLED',
  refund: 'CANCELED',
} as const satisfies Record<Settlement, TwitchRedemptionStatus>;

/** The settlement to queue again when an assumed end turns out to be wrong. */
export const settlementForEnd = {
  fulfilled: 'fulfil',
  refunded: 'refund',
} as const satisfies Record<Exclude<RedemptionState, 'open'>, Settlement>;
