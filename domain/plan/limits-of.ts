import { and, eq, sql } from 'drizzle-orm';
import { type Answer, answered, type Reader } from '#db/database.ts';
import { within } from '#db/dialect.ts';
import {
  billingSwitch,
  type Product,
  planStates,
  type SubscriptionState,
  subscriptions,
  type Tier,
  tiers,
} from '#db/schema/billing.ts';
import { statement } from '#db/statement.ts';
import { plans, type StreamerLimits, type ViewerLimits } from './plans.ts';
import { type UsageMonth, usageMonth } from './usage-month.ts';

/** The limits of a user's plans, and the months in which usage counts. */
export interface Limits extends StreamerLimits, ViewerLimits {
  rewardsMonth: UsageMonth;
  claimsMonth: UsageMonth;
}

/** The term of a plan: its state, and its end in the states that end by time. */
interface Term {
  state: SubscriptionState;
  graceUntilMs: number | null;
  endsAtMs: number | null;
}

/**
 * Returns whether a subscription gives its plan now. Grace, a cancelled plan and paid time end by the clock,
 * whenever Stripe reports it.
 */
export function isInForce({ state, graceUntilMs, endsAtMs }: Term, nowMs: number): boolean {
  if (state === 'grace') return graceUntilMs !== null && graceUntilMs > nowMs;
  if (state === 'ending' || state === 'covered') return endsAtMs === null || endsAtMs > nowMs;
  return state !== 'ended';
}

const readPlans = statement('plans_of', (tx) =>
  tx
    .select({
      sellsPlans: billingSwitch.sellsPlans,
      product: subscriptions.product,
      tier: subscriptions.tier,
      state: subscriptions.state,
      graceUntilMs: subscriptions.graceUntilMs,
      endsAtMs: subscriptions.endsAtMs,
      anchorMs: subscriptions.anchorMs,
    })
    .from(billingSwitch)
    .leftJoin(
      subscriptions,
      and(eq(subscriptions.userId, sql.placeholder('userId')), within(subscriptions.state, planStates)),
    ),
);

const limitsAt = (
  nowMs: number,
  { streamer, viewer }: Record<Product, { tier: Tier; anchorMs: number | null }>,
): Limits => {
  const { rules, rewardsPerMonth, otherChannels } = plans.streamer[streamer.tier];
  const { claimsPerMonth, rewardMails } = plans.viewer[viewer.tier];
  return {
    rules,
    rewardsPerMonth,
    otherChannels,
    claimsPerMonth,
    rewardMails,
    // Computed only when read: most plans have no limit, and then the month does not matter.
    get rewardsMonth() {
      return usageMonth(nowMs, streamer.anchorMs);
    },
    get claimsMonth() {
      return usageMonth(nowMs, viewer.anchorMs);
    },
  };
};

const noSubscription = (tier: Tier) => ({ tier, anchorMs: null });

/** The limits on an instance that sells no plans: those of the highest tiers. */
export const freeInstance = (nowMs: number): Limits =>
  limitsAt(nowMs, { streamer: noSubscription('pro'), viewer: noSubscription('pro') });

/** Returns a user's current limits; read inside the action's own transaction. */
export const limitsOf = (q: Reader, userId: string, nowMs: number): Answer<Limits> =>
  answered(readPlans(q, { userId }), (rows) => {
    if (!rows[0]?.sellsPlans) return freeInstance(nowMs);
    const planOf = (product: Product) => {
      let best: { tier: Tier; anchorMs: number | null } = noSubscription('free');
      for (const { product: of, tier, state, graceUntilMs, endsAtMs, anchorMs } of rows) {
        if (of !== product || !tier || !state || !isInForce({ state, graceUntilMs, endsAtMs }, nowMs))
          continue;
        // A new plan may have been bought while a cancelled one goes on: the larger one counts.
        if (tiers.indexOf(tier) > tiers.indexOf(best.tier)) best = { tier, anchorMs };
      }
      return best;
    };
    return limitsAt(nowMs, { streamer: planOf('streamer'), viewer: planOf('viewer') });
  });
