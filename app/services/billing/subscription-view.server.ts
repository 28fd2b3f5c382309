import type { BillingPeriod, PaidTier, Product } from '#db/schema/billing.ts';
import { priceOf } from '#domain/plan/plans.ts';
import type { LiveSubscription } from '#domain/subscription/find-subscription.ts';
import type { Subscription } from '#domain/subscription/transition.ts';
import type { BillingSettings } from '#platform/shared-variables.ts';

/** A subscription as pages show it. */
export interface SubscriptionView {
  product: Product;
  tier: PaidTier;
  period: BillingPeriod;
  state: LiveSubscription['state'];
  /** The subscriber's price for a period, in minor units without tax: an older price stays. */
  price: number;
  currency: string;
  /** The next charge and its time; null if none is known. */
  nextCharge: NextCharge | null;
  isPaymentUnderWay: boolean;
  /** Set if payments are paused, with the end of the pause; null until the operator resumes them. */
  pause: { untilMs: number | null } | null;
  trialUntilMs: number | null;
  graceUntilMs: number | null;
  endsAtMs: number | null;
  next: { tier: PaidTier; period: BillingPeriod; atMs: number } | null;
  createdAtMs: number;
  problem: boolean;
}

/** An amount in minor units. */
export interface NextCharge {
  amount: number;
  atMs: number;
  /** True if tax is still added to it, because Stripe has not calculated it yet. */
  isTaxed: boolean;
}

/**
 * The next charge by Stripe's preview or, until that has been read, today's price of the plan that goes on.
 */
export function nextChargeOf(row: Subscription, { tax }: Pick<BillingSettings, 'tax'>): NextCharge | null {
  const { product, tier, period, state, nextTier, nextPeriod, nextCharge, nextChargeAtMs } = row;
  if (nextCharge !== null && nextChargeAtMs !== null)
    return { amount: nextCharge, atMs: nextChargeAtMs, isTaxed: false };
  if (row.isPaused || (state !== 'active' && state !== 'trialing')) return null;
  const amount =
    nextTier && nextPeriod
      ? (row.nextPrice ?? priceOf(product, nextTier, nextPeriod))
      : (row.price ?? priceOf(product, tier, period));
  return { amount, atMs: row.trialUntilMs ?? row.periodEndMs, isTaxed: tax !== 'none' };
}

/** Values that are not read from Stripe yet are taken from today's plans. */
export function subscriptionView(
  row: LiveSubscription,
  settings: Pick<BillingSettings, 'currency' | 'tax'>,
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
    currency: row.currency ?? settings.currency,
    nextCharge: nextChargeOf(row, settings),
    isPaymentUnderWay: row.isPaymentUnderWay,
    pause: row.isPaused ? { untilMs: row.pausedUntilMs } : null,
    trialUntilMs: row.trialUntilMs,
    graceUntilMs: row.graceUntilMs,
    endsAtMs: row.endsAtMs,
    next,
    createdAtMs: row.createdAtMs,
    problem: row.problem !== null,
  };
}
