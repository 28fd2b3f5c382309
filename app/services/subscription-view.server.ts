import type { BillingPeriod, PaidTier, Product } from '#db/schema/billing.ts';
import type { LiveSubscription } from '#domain/subscription/find-subscription.ts';
import { priceOf } from '#domain/subscription/plans.ts';
import type { BillingSettings } from '#platform/shared-variables.ts';

/** A subscription as pages show it. */
export interface SubscriptionView {
  product: Product;
  tier: PaidTier;
  period: BillingPeriod;
  state: LiveSubscription['state'];
  /** What this subscriber pays for a period, in minor units without tax: an older price stays. */
  price: number;
  currency: string;
  /** Whether tax is added to prices. */
  isTaxed: boolean;
  /** What is charged on the next billing date. */
  nextCharge: number;
  nextBillingMs: number;
  trialUntilMs: number | null;
  graceUntilMs: number | null;
  endsAtMs: number | null;
  next: { tier: PaidTier; period: BillingPeriod; atMs: number } | null;
  createdAtMs: number;
  problem: boolean;
}

/** What is not read from Stripe yet is shown as today's plans have it. */
export function subscriptionView(
  row: LiveSubscription,
  { currency, tax }: Pick<BillingSettings, 'currency' | 'tax'>,
): SubscriptionView {
  const { product, tier, period, nextTier, nextPeriod, nextAtMs } = row;
  const price = row.price ?? priceOf(product, tier, period);
  const next =
    nextTier && nextPeriod && nextAtMs ? { tier: nextTier, period: nextPeriod, atMs: nextAtMs } : null;
  return {
    product,
    tier,
    period,
    state: row.state,
    price,
    currency: row.currency ?? currency,
    isTaxed: tax !== 'none',
    nextCharge: next ? (row.nextPrice ?? priceOf(product, next.tier, next.period)) : price,
    nextBillingMs: row.trialUntilMs ?? row.periodEndMs,
    trialUntilMs: row.trialUntilMs,
    graceUntilMs: row.graceUntilMs,
    endsAtMs: row.endsAtMs,
    next,
    createdAtMs: row.createdAtMs,
    problem: row.problem !== null,
  };
}
