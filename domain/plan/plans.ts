import type { BillingPeriod, PaidTier, Product, Tier } from '#db/schema/billing.ts';

/** The limits of a tier of streamer premium. */
export interface StreamerLimits {
  rules: number;
  rewardsPerMonth: number;
  /** True if the user may open rules on channels that admit them. */
  otherChannels: boolean;
}
/** The limits of a tier of viewer premium. */
export interface ViewerLimits {
  /** Null stands for unlimited. */
  claimsPerMonth: number | null;
  /**
   * True if mails also bring the news that needs no act, such as a delivery. Everybody is mailed what they have to
   * do to get a reward.
   */
  rewardMails: boolean;
}

interface Price {
  /** Price in minor units of the instance's currency; the same number in every currency. */
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

/** Percentage by which a year costs less than twelve months. */
export const YEARLY_SAVING_PERCENT = 20;
export const TRIAL_DAYS = 7;

/** A plan that is paid for. */
export interface Plan {
  product: Product;
  tier: PaidTier;
  period: BillingPeriod;
}

/**
 * The price of one period in minor units. A yearly price is rounded to ten minor units, so that it ends like
 * the monthly prices.
 */
export function priceOf(product: Product, tier: Tier, period: BillingPeriod): number {
  const { monthlyPrice } = plans[product][tier];
  if (period === 'month') return monthlyPrice;
  return Math.round((monthlyPrice * 12 * (100 - YEARLY_SAVING_PERCENT)) / 1000) * 10;
}

const ranks: Record<Tier, number> = { free: 0, basic: 1, expert: 2, pro: 3 };

/**
 * Returns whether a change of plan starts at once, with the difference paid: to a higher tier, or from
 * monthly to yearly in the same tier. Any other change starts when the paid period ends.
 */
export function startsAtOnce(from: Omit<Plan, 'product'>, to: Omit<Plan, 'product'>): boolean {
  if (from.tier !== to.tier) return ranks[to.tier] > ranks[from.tier];
  return from.period === 'month' && to.period === 'year';
}
