import type Stripe from 'stripe';
import { billingPeriods, paidTiers, products } from '#db/schema/billing.ts';
import { hour } from '#domain/kernel/time.ts';
import type { Plan } from '#domain/plan/plans.ts';
import { steadyMs } from '#platform/steady-time.ts';
import type { Billing } from './billing.ts';
import { SetUpMissing } from './set-up-missing.ts';
import { planOf } from './subscription-facts.ts';

/** Stripe takes ten lookup keys at once. */
const KEYS_AT_ONCE = 10;
/** The prices are used for this long before they are read again. System time. */
const MAX_AGE_MS = hour;

/** All plans that are paid for. */
export const paidPlans: readonly Plan[] = products.flatMap((product) =>
  paidTiers.flatMap((tier) => billingPeriods.map((period) => ({ product, tier, period }))),
);

/** The name by which a plan's current price is found. */
export const lookupKeyOf = ({ product, tier, period }: Plan): string =>
  `keepsake_${product}_${tier}_${period}`;

/** Reads the active prices of all plans, by their lookup keys. */
export async function readPrices(stripe: Stripe): Promise<Map<string, Stripe.Price>> {
  const keys = paidPlans.map(lookupKeyOf);
  const found = new Map<string, Stripe.Price>();
  for (let from = 0; from < keys.length; from += KEYS_AT_ONCE) {
    const lookup_keys = keys.slice(from, from + KEYS_AT_ONCE);
    const { data } = await stripe.prices.list({ lookup_keys, active: true, limit: 100 });
    for (const price of data) if (price.lookup_key) found.set(price.lookup_key, price);
  }
  return found;
}

const known = new WeakMap<Stripe, { readAtMs: number; prices: Map<string, Stripe.Price> }>();

/** A plan's current price. Throws `SetUpMissing` where there is none: nothing can be sold then. */
export async function currentPriceOf({ stripe }: Pick<Billing, 'stripe'>, plan: Plan): Promise<Stripe.Price> {
  const key = lookupKeyOf(plan);
  const cached = known.get(stripe);
  const fresh = cached && steadyMs() - cached.readAtMs < MAX_AGE_MS ? cached.prices.get(key) : undefined;
  if (fresh) return fresh;
  const prices = await readPrices(stripe);
  known.set(stripe, { readAtMs: steadyMs(), prices });
  const price = prices.get(key);
  if (!price) throw new SetUpMissing(`Stripe has no price ${key}: run npm run keepsake -- stripe:setup`);
  return price;
}

/** The id of a plan's current price. */
export const priceIdOf = async (billing: Pick<Billing, 'stripe'>, plan: Plan): Promise<string> =>
  (await currentPriceOf(billing, plan)).id;

/** Number of prices that are cached; an account of ours has a few dozen. */
const MAX_PRICES = 1000;
const plansOfPrices = new WeakMap<Stripe, Map<string, Plan | null>>();

/** The plan of any price, an old one too; null for one that is none of ours. What a price stands for never changes. */
export async function planOfPrice({ stripe }: Pick<Billing, 'stripe'>, id: string): Promise<Plan | null> {
  const remembered = plansOfPrices.get(stripe) ?? new Map<string, Plan | null>();
  plansOfPrices.set(stripe, remembered);
  const found = remembered.get(id);
  if (found !== undefined) return found;
  const plan = planOf(await stripe.prices.retrieve(id));
  if (remembered.size >= MAX_PRICES) remembered.clear();
  remembered.set(id, plan);
  return plan;
}
