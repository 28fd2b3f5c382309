import type { RewardState } from '#db/schema/reward.ts';
import { defineMachine, type EventOf } from '#domain/machine.ts';

/** A viewer's entitlement to one item. Claimed ends it, but for a reversal within the protection time. */
export const rewardMachine = defineMachine({
  free: { promised: 'promised', detached: 'recalled' },
  promised: { claimStarted: 'reserved', timedOut: 'recalled', revoked: 'recalled' },
  reserved: { delivered: 'claimed', offerEnded: 'promised', timedOut: 'recalled' },
  claimed: { reversed: 'recalled' },
  recalled: {},
} satisfies Record<RewardState, Record<string, RewardState>>);

export type RewardEvent = EventOf<typeof rewardMachine.table>;
