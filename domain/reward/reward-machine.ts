import type { RewardState } from '#db/schema/reward.ts';
import { defineMachine, type EventOf } from '#domain/kernel/machine.ts';

/**
 * A viewer's entitlement to one item. `claimed` is the end, unless Trade Protection reverses the trade.
 * `depositReversed` means that the item is with its streamer again.
 *
 * A claim takes no lock of the channel, so it may come between reading a promise and ending it. Therefore no
 * event that ends a promise (`timedOut`, `stopped`, `revoked`) is allowed from `reserved`; only the end of
 * the offer or of the deposit is.
 */
export const rewardMachine = defineMachine({
  free: { promised: 'promised', detached: 'recalled', depositReversed: 'recalled' },
  promised: {
    claimStarted: 'reserved',
    timedOut: 'recalled',
    revoked: 'recalled',
    stopped: 'recalled',
    depositReversed: 'recalled',
  },
  reserved: {
    delivered: 'claimed',
    offerEnded: 'promised',
    offerEndedLate: 'recalled',
    offerStopped: 'recalled',
    depositReversed: 'recalled',
  },
  claimed: { reversed: 'recalled' },
  recalled: {},
} satisfies Record<RewardState, Record<string, RewardState>>);

export type RewardEvent = EventOf<typeof rewardMachine.table>;
