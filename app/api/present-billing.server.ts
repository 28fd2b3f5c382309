import { nextChargeOf } from '#app/services/billing/subscription-view.server.ts';
import type { PlanChange } from '#billing/change-plan.ts';
import type { ListedCharge } from '#billing/list-charges.ts';
import { type BillingPeriod, billingPeriods, type Product, type Tier, tiers } from '#db/schema/billing.ts';
import type { Usage } from '#domain/plan/get-usage.ts';
import { type Plan, plans, priceOf, YEARLY_SAVING_PERCENT } from '#domain/plan/plans.ts';
import type { Subscription } from '#domain/subscription/transition.ts';
import type { BillingSettings } from '#platform/shared-variables.ts';
import { isoOf, isoOrNull } from './present-facts.server.ts';
import type { Resource } from './resource.ts';
import * as kinds from './resources.ts';

// Converts plans and subscriptions to resources.

const periodsOf = (tier: Tier): readonly BillingPeriod[] => (tier === 'free' ? ['month'] : billingPeriods);

/**
 * The plans on an instance that sells none: everybody has the limits of the highest tiers, free of charge.
 */
export const freeResources = (currency: string): Resource[] =>
  (['streamer', 'viewer'] as const).map((product) => planResource(product, 'pro', 'month', currency, 0));

/** All plans, the free ones by the month alone. */
export const planResources = (currency: string): Resource[] =>
  (['streamer', 'viewer'] as const).flatMap((product) =>
    tiers.flatMap((tier) =>
      periodsOf(tier).map((period) =>
        planResource(product, tier, period, currency, priceOf(product, tier, period)),
      ),
    ),
  );

function planResource(
  product: Product,
  tier: Tier,
  period: BillingPeriod,
  currency: string,
  price: number,
): Resource {
  const streamer = product === 'streamer' ? plans.streamer[tier] : null;
  const viewer = product === 'viewer' ? plans.viewer[tier] : null;
  return kinds.plans.of(`${product}-${tier}-${period}`, {
    product,
    tier,
    period,
    price,
    currency,
    save_percentage: period === 'year' ? YEARLY_SAVING_PERCENT : 0,
    rules_limit: streamer?.rules ?? null,
    monthly_rewards_limit: streamer?.rewardsPerMonth ?? null,
    other_channel_targeting: streamer?.otherChannels ?? null,
    reward_claims_limit: viewer?.claimsPerMonth ?? null,
    reward_claims_unlimited: viewer !== null && viewer.claimsPerMonth === null,
    reward_notifications: viewer?.rewardMails ?? null,
  });
}

interface SubscriptionSources {
  /** Subscriptions that give a plan now; of one product, the live one comes first. */
  inForce: readonly Subscription[];
  usage: Usage;
  /** Null if the instance sells no plans. */
  settings: Pick<BillingSettings, 'currency' | 'tax'> | null;
}

/** A user's plan of a product. */
export function subscriptionResource(
  userId: string,
  product: Product,
  { inForce, usage, settings }: SubscriptionSources,
): Resource {
  const current = inForce.find((each) => each.product === product) ?? null;
  const currency = settings?.currency ?? null;
  const nextCharge = current && settings && nextChargeOf(current, settings);
  return kinds.subscriptions.of(`${userId}-${product}`, {
    product,
    tier: current?.tier ?? (currency === null ? 'pro' : 'free'),
    period: current?.period ?? null,
    state: current?.state ?? 'free',
    price:
      current && current.state !== 'covered'
        ? (current.price ?? priceOf(product, current.tier, current.period))
        : null,
    currency: current && (current.currency ?? currency),
    next_charge: nextCharge?.amount ?? null,
    next_billing_at: isoOrNull(nextCharge?.atMs ?? null),
    payment_under_way: current?.isPaymentUnderWay ?? false,
    payments_paused: current?.isPaused ?? false,
    paused_until: isoOrNull(current?.pausedUntilMs ?? null),
    trial_until: isoOrNull(current?.trialUntilMs ?? null),
    grace_until: isoOrNull(current?.graceUntilMs ?? null),
    ends_at: isoOrNull(current?.endsAtMs ?? null),
    next: nextOf(current),
    usage: usageOf(product, usage),
  });
}

/** The cost of a change of plan, and when it would begin. Previews are not stored: the id is that of the request. */
export function planChangeResource(
  id: string,
  plan: Plan,
  { change, currency, nowMs }: { change: PlanChange; currency: string; nowMs: number },
): Resource {
  const isNow = change.when === 'now';
  return kinds.planChanges.of(id, {
    ...plan,
    when: change.when,
    starts_at: isoOf(isNow ? nowMs : change.atMs),
    amount_due: isNow ? change.amountDue : null,
    proration_date: isNow ? change.prorationDate : null,
    currency: isNow ? change.currency : currency,
    price: priceOf(plan.product, plan.tier, plan.period),
  });
}

/** A charge as its customer sees it. */
export const chargeResource = ({
  id,
  atMs,
  amount,
  refunded,
  currency,
  state,
  bought,
  url,
}: ListedCharge): Resource =>
  kinds.charges.of(id, {
    charged_at: isoOf(atMs),
    amount,
    refunded,
    currency,
    state,
    bought: bought.map(({ plan, text, startMs, endMs, isRest }) => ({
      plan,
      description: text,
      starts_at: isoOf(startMs),
      ends_at: isoOf(endMs),
      rest_of_period: isRest,
    })),
    url,
  });

function nextOf(current: Subscription | null) {
  const { nextTier: tier, nextPeriod: period, nextAtMs } = current ?? {};
  return tier && period && nextAtMs ? { tier, period, starts_at: isoOf(nextAtMs) } : null;
}

function usageOf(product: Product, { limits, rules, rewardsThisMonth, claimsThisMonth }: Usage) {
  if (product === 'viewer') {
    const resets_at = isoOf(limits.claimsMonth.resetsAtMs);
    return [
      { name: 'reward_claims' as const, used: claimsThisMonth, limit: limits.claimsPerMonth, resets_at },
    ];
  }
  const resets_at = isoOf(limits.rewardsMonth.resetsAtMs);
  return [
    { name: 'rules' as const, used: rules, limit: limits.rules, resets_at: null },
    { name: 'monthly_rewards' as const, used: rewardsThisMonth, limit: limits.rewardsPerMonth, resets_at },
  ];
}
