import { config } from '#app/config.server.ts';
import { type BillingPeriod, type Product, products, type Tier, tiers } from '#db/schema/billing.ts';
import { plans, priceOf, TRIAL_DAYS, YEARLY_SAVING_PERCENT } from '#domain/plan/plans.ts';

/**
 * A plan's limit, by the name of its text: a number, null for unlimited, or whether something is included.
 */
export type PlanRow = {
  name: 'rules' | 'rewards' | 'otherChannels' | 'claims' | 'promiseMails' | 'deliveryMails';
  values: PlanValue[];
};
export type PlanValue = { tier: Tier; value: number | null | boolean };

/** The plans of a product as a table shows them. Prices are in minor units of the currency. */
export interface PlanTableData {
  product: Product;
  currency: string;
  savingPercent: number;
  trialDays: number;
  prices: { tier: Tier; prices: Record<BillingPeriod, number> }[];
  rows: PlanRow[];
}

const row = (name: PlanRow['name'], valueAt: (tier: Tier) => PlanValue['value']): PlanRow => ({
  name,
  values: tiers.map((tier) => ({ tier, value: valueAt(tier) })),
});

const rowsOf: Record<Product, PlanRow[]> = {
  streamer: [
    row('rules', (tier) => plans.streamer[tier].rules),
    row('rewards', (tier) => plans.streamer[tier].rewardsPerMonth),
    row('otherChannels', (tier) => plans.streamer[tier].otherChannels),
  ],
  viewer: [
    row('claims', (tier) => plans.viewer[tier].claimsPerMonth),
    row('promiseMails', () => true),
    row('deliveryMails', (tier) => plans.viewer[tier].rewardMails),
  ],
};

/** All plans with their prices, for the landing page and for billing; null on a free instance. */
export function planTables(): PlanTableData[] | null {
  const { billing } = config();
  if (!billing) return null;
  return products.map((product) => ({
    product,
    currency: billing.currency,
    savingPercent: YEARLY_SAVING_PERCENT,
    trialDays: TRIAL_DAYS,
    prices: tiers.map((tier) => ({
      tier,
      prices: { month: priceOf(product, tier, 'month'), year: priceOf(product, tier, 'year') },
    })),
    rows: rowsOf[product],
  }));
}
