import type { BillingPeriod, PaidTier, Product, Tier } from '#db/schema/billing.ts';

/** What a tier of streamer premium allows. */
export interface StreamerLimits {
  rules: number;
  rewardsPerMonth: number;
  /** Whether the user may open rules on channels that admit them. */
  otherChannels: boolean;
}
/** What a tier of viewer premium allows. */
export interface ViewerLimits {
  /** Null: unlimited. */
  claimsPerMonth: number | null;
  /** Whether notifications about rewards are also sent by mail. */
  rewardMails: boolean;
}

interface Price {
  /** In minor units of the instance's currency; the same amounts in each of them. */
  monthlyPrice: number;
}

/** All plans: limits and monthly prices. */
export const plans = {
  streamer: {
    free: { rules: 1, rewardsPerMonth: 10, otherChannels: false, monthlyPrice: 0 },
    basic: { rules: 5, rewardsPerMonth: 100, otherChannels: false, monthlyPrice: 499 },
    expert: { rules: 20, rewardsPerMonth: 500, otherChannels: true, monthlyPrice: 1499 },
    pro: { rules: 100, rewardsPerMonth: 5000, otherChannels: true, monthlyPrice: 3999 },
  },
  viewer: {
    free: { claimsPerMonth: 3, rewardMails: false, monthlyPrice: 0 },
    basic: { claimsPerMonth: 10, rewardMails: true, monthlyPrice: 199 },
    expert: { claimsPerMonth: 30, rewardMails: true, monthlyPrice: 399 },
    pro: { claimsPerMonth: null, rewardMails: true, monthlyPrice: 699 },
  },
} as const satisfies {
  streamer: Record<Tier, StreamerLimits & Price>;
  viewer: Record<Tier, ViewerLimits & Price>;
} satisfies Record<Product, unknown>;

/** How much less a year costs than twelve months. */
export const YEARLY_SAVING_PERCENT = 20;
export const TRIAL_DAYS = 7;

/** A plan that is paid for. */
export interface Plan {
  product: Product;
  tier: PaidTier;
  period: BillingPeriod;
}

/** The price of one period in minor units. A year is rounded to ten of them, to end like the monthly prices do. */
export function priceOf(product: Product, tier: Tier, period: BillingPeriod): number {
  const { monthlyPrice } = plans[product][tier];
  if (period === 'month') return monthlyPrice;
  return Math.round((monthlyPrice * 12 * (100 - YEARLY_SAVING_PERCENT)) / 1000) * 10;
}

const ranks: Record<Tier, number> = { free: 0, basic: 1, expert: 2, pro: 3 };

/**
 * Whether a change of plan starts at once, with the difference paid: a higher tier, or the same one by the year. Any
 * other begins when what was paid for ends.
 */
export function startsAtOnce(from: Omit<Plan, 'product'>, to: Omit<Plan, 'product'>): boolean {
  if (from.tier !== to.tier) return ranks[to.tier] > ranks[from.tier];
  return from.period === 'month' && to.period === 'year';
}
