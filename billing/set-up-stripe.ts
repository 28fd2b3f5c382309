import type Stripe from 'stripe';
import type { PaidTier, Product } from '#db/schema/billing.ts';
import { priceOf } from '#domain/plan/plans.ts';
import { findMethodFaults } from './find-method-faults.ts';
import {
  type Account,
  endpointFaults,
  findPortal,
  listPlanProducts,
  portalFaults,
} from './find-stripe-faults.ts';
import { eventTypes } from './handle-events.ts';
import { lookupKeyOf, paidPlans, readPrices } from './prices.ts';
import { stripeVersion, webhookUrlOf } from './stripe-client.ts';

/** The steps of the setup, and the values that the operator has to put into the settings. */
export interface SetUp {
  done: string[];
  /** Changes that only the account's owner can make, in the dashboard. */
  toDo: string[];
  portalConfiguration: string;
  /** Stripe shows it only when the endpoint is created. */
  webhookSecret: string | null;
}

const productNames: Record<Product, string> = { streamer: 'Streamer premium', viewer: 'Viewer premium' };
const tierNames: Record<PaidTier, string> = { basic: 'Basic', expert: 'Expert', pro: 'Pro' };

/**
 * Creates everything in an account that the plans need: products, prices, the portal's configuration and the
 * webhook endpoint. Existing objects are found by name and corrected; running it again changes nothing. A
 * price that differs is replaced; customers with the old one go on paying it.
 */
export async function setUpStripe(account: Account): Promise<SetUp> {
  const done = await setUpCatalogue(account);
  const portalConfiguration = await setUpPortal(account, done);
  const webhookSecret = await setUpEndpoint(account, done);
  const faults = await findMethodFaults(account, await findPortal(account));
  return { done, toDo: faults.map(({ what }) => what), portalConfiguration, webhookSecret };
}

/** Creates the products and prices that an account lacks. Returns the steps taken. */
export async function setUpCatalogue(account: Pick<Account, 'stripe' | 'settings'>): Promise<string[]> {
  const done: string[] = [];
  const products = await setUpProducts(account, done);
  await setUpPrices(account, products, done);
  return done;
}

const productKeyOf = ({ product, tier }: { product: Product; tier: PaidTier }) => `${product}_${tier}`;

/**
 * Software as a service for personal use, https://docs.stripe.com/tax/tax-codes. Stripe sells in its own name
 * only products with an eligible code, https://docs.stripe.com/payments/managed-payments/eligibility.
 */
const TAX_CODE = 'txcd_10103000';

/** A product for each tier, by the metadata that the setup gave it. A tax code that the operator chose stays. */
async function setUpProducts(
  { stripe, settings }: Pick<Account, 'stripe' | 'settings'>,
  done: string[],
): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for await (const { id, metadata, name, tax_code: taxCode } of listPlanProducts(stripe)) {
    if (found.has(metadata.keepsake_plan)) continue;
    found.set(metadata.keepsake_plan, id);
    if (settings.tax === 'none' || taxCode !== null) continue;
    await stripe.products.update(id, { tax_code: TAX_CODE });
    done.push(`product ${name}: has the tax code ${TAX_CODE} now`);
  }
  for (const plan of paidPlans) {
    const key = productKeyOf(plan);
    if (found.has(key)) continue;
    const name = `${productNames[plan.product]} ${tierNames[plan.tier]}`;
    const { id } = await stripe.products.create({
      name,
      tax_code: TAX_CODE,
      metadata: { keepsake_plan: key },
    });
    found.set(key, id);
    done.push(`product ${name}: created ${id}`);
  }
  return found;
}

async function setUpPrices(
  { stripe, settings }: Pick<Account, 'stripe' | 'settings'>,
  products: ReadonlyMap<string, string>,
  done: string[],
): Promise<void> {
  const found = await readPrices(stripe);
  for (const plan of paidPlans) {
    const lookup_key = lookupKeyOf(plan);
    const known = found.get(lookup_key);
    const amount = priceOf(plan.product, plan.tier, plan.period);
    if (known && isAsPlanned(known, amount, settings.currency)) continue;
    const product = products.get(productKeyOf(plan));
    if (!product) throw new Error(`no product for ${lookup_key}`);
    const { id } = await stripe.prices.create({
      product,
      currency: settings.currency,
      unit_amount: amount,
      recurring: { interval: plan.period },
      lookup_key,
      transfer_lookup_key: true,
      metadata: { keepsake_product: plan.product, keepsake_tier: plan.tier },
    });
    done.push(`price ${lookup_key}: created ${id}${known ? `, in the place of ${known.id}` : ''}`);
  }
}

const isAsPlanned = ({ currency, unit_amount: amount, metadata }: Stripe.Price, wanted: number, of: string) =>
  currency === of && amount === wanted && metadata.keepsake_tier !== undefined;

/**
 * The portal shows invoices and payment methods and cancels at the period's end. Plans are changed on our own
 * page: it shows which rules a smaller plan pauses, and when it begins.
 */
const portalFeatures: Stripe.BillingPortal.ConfigurationCreateParams.Features = {
  customer_update: { enabled: true, allowed_updates: ['address', 'tax_id'] },
  invoice_history: { enabled: true },
  payment_method_update: { enabled: true },
  subscription_cancel: { enabled: true, mode: 'at_period_end', proration_behavior: 'none' },
  subscription_update: { enabled: false },
};

async function setUpPortal({ stripe, publicUrl }: Account, done: string[]): Promise<string> {
  const facts = { features: portalFeatures, default_return_url: new URL('/billing', publicUrl).href };
  for await (const known of stripe.billingPortal.configurations.list({ active: true, limit: 100 })) {
    if (known.metadata?.keepsake !== 'portal') continue;
    if (portalFaults(known).length > 0) {
      await stripe.billingPortal.configurations.update(known.id, facts);
      done.push(`portal configuration ${known.id}: mended`);
    }
    return known.id;
  }
  const { id } = await stripe.billingPortal.configurations.create({
    ...facts,
    metadata: { keepsake: 'portal' },
  });
  done.push(`portal configuration: created ${id}`);
  return id;
}

async function setUpEndpoint({ stripe, publicUrl }: Account, done: string[]): Promise<string | null> {
  const url = webhookUrlOf(publicUrl);
  for await (const known of stripe.webhookEndpoints.list({ limit: 100 })) {
    if (known.url !== url) continue;
    if (endpointFaults(known).length > 0) {
      await stripe.webhookEndpoints.update(known.id, { enabled_events: [...eventTypes], disabled: false });
      done.push(`webhook endpoint ${known.id}: mended`);
    }
    return null;
  }
  const made = await stripe.webhookEndpoints.create({
    url,
    enabled_events: [...eventTypes],
    api_version: stripeVersion,
    description: 'Keepsake',
  });
  done.push(`webhook endpoint: created ${made.id}`);
  return made.secret ?? null;
}
