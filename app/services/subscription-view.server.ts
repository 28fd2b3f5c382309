import type { BillingPeriod, PaidTier, Product, SubscriptionState } from '#db/schema/billing.ts';
import { priceOf } from '#domain/subscription/plans.ts';
import type { Subscription } from '#domain/subscription/transition.ts';

/** A subscription as pages show it. */
export interface SubscriptionView {
  product: Product;
  tier: PaidTier;
  period: BillingPeriod;
  state: SubscriptionState;
  /** The current price of the plan, in minor units. */
  price: number;
  currency: string;
  nextBillingMs: number;
  trialUntilMs: number | null;
  graceUntilMs: number | null;
  endsAtMs: number | null;
  next: { tier: PaidTier; period: BillingPeriod; atMs: number } | null;
  createdAtMs: number;
  problem: boolean;
}

export function subscriptionView(row: Subscription, currency: string): SubscriptionView {
  const { product, tier, period, nextTier, nextPeriod, nextAtMs } = row;
  return {
    product,
    tier,
    period,
    state: row.state,
    price: priceOf(product, tier, period),
    currency,
    nextBillingMs: row.trialUntilMs ?? row.periodEndMs,
    trialUntilMs: row.trialUntilMs,
    graceUntilMs: row.graceUntilMs,
    endsAtMs: row.endsAtMs,
    next: nextTier && nextPeriod && nextAtMs ? { tier: nextTier, period: nextPeriod, atMs: nextAtMs } : null,
    createdAtMs: row.createdAtMs,
    problem: row.problem !== null,
  };
}
