import type Stripe from 'stripe';
import type { PaidTier, Product } from '#db/schema/billing.ts';
import { priceOf } from '#domain/subscription/plans.ts';
import type { BillingSettings } from '#platform/shared-variables.ts';
import { eventTypes } from './handle-events.ts';
import { lookupKeyOf, paidPlans, readPrices } from './prices.ts';
import { stripeVersion } from './stripe-client.ts';

/** Where Stripe sends its events. */
export const webhookPath = '/webhooks/stripe';

/** What the setup did, and what the operator has to put into the settings. */
export interface SetUp {
  done: string[];
  portalConfiguration: string;
  /** Stripe tells it only when the endpoint is created. */
  webhookSecret: string | null;
}

interface Wanted {
  stripe: Stripe;
  settings: Pick<BillingSettings, 'currency'>;
  publicUrl: URL;
}

const productNames: Record<Product, string> = { streamer: 'Streamer premium', viewer: 'Viewer premium' };
const tierNames: Record<PaidTier, string> = { basic: 'Basic', expert: 'Expert', pro: 'Pro' };

/**
 * Brings an account to what the plans need: products, prices, the portal's configuration and the webhook endpoint. What
 * exists is found by its name and mended; running it again changes nothing. A price that differs is replaced: who pays
 * the old one goes on paying it.
 */
export async function setUpStripe(wanted: Wanted): Promise<SetUp> {
  const done = await setUpCatalogue(wanted);
  const portalConfiguration = await setUpPortal(wanted, done);
  const webhookSecret = await setUpEndpoint(wanted, done);
  return { done, portalConfiguration, webhookSecret };
}

/** Creates the products and prices that an account lacks. Returns what it did. */
export async function setUpCatalogue(wanted: Pick<Wanted, 'stripe' | 'settings'>): Promise<string[]> {
  const done: string[] = [];
  const products = await setUpProducts(wanted, done);
  await setUpPrices(wanted, products, done);
  return done;
}

const productKeyOf = ({ product, tier }: { product: Product; tier: PaidTier }) => `${product}_${tier}`;

/** A product for each tier, by the metadata that the setup gave it. */
async function setUpProducts(
  { stripe }: Pick<Wanted, 'stripe'>,
  done: string[],
): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for await (const { id, metadata } of stripe.products.list({ active: true, limit: 100 }))
    if (metadata.keepsake_plan && !found.has(metadata.keepsake_plan)) found.set(metadata.keepsake_plan, id);
  for (const plan of paidPlans) {
    const key = productKeyOf(plan);
    if (found.has(key)) continue;
    const name = `${productNames[plan.product]} ${tierNames[plan.tier]}`;
    const { id } = await stripe.products.create({ name, metadata: { keepsake_plan: key } });
    found.set(key, id);
    done.push(`product ${name}: created ${id}`);
  }
  return found;
}

async function setUpPrices(
  { stripe, settings }: Pick<Wanted, 'stripe' | 'settings'>,
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
 * The portal shows invoices and payment methods and cancels at the period's end. Plans are changed on our own page: it
 * knows what a smaller plan pauses, and when it begins.
 */
const portalFeatures: Stripe.BillingPortal.ConfigurationCreateParams.Features = {
  customer_update: { enabled: true, allowed_updates: ['address', 'tax_id'] },
  invoice_history: { enabled: true },
  payment_method_update: { enabled: true },
  subscription_cancel: { enabled: true, mode: 'at_period_end', proration_behavior: 'none' },
  subscription_update: { enabled: false },
};

async function setUpPortal({ stripe, publicUrl }: Wanted, done: string[]): Promise<string> {
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

async function setUpEndpoint({ stripe, publicUrl }: Wanted, done: string[]): Promise<string | null> {
  const url = new URL(webhookPath, publicUrl).href;
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

/** Compares an account with what the plans need. Returns what differs, in words for the operator. */
export async function findStripeFaults({ stripe, settings, publicUrl }: Wanted): Promise<string[]> {
  const prices = await readPrices(stripe);
  const faults = paidPlans.flatMap((plan) => {
    const key = lookupKeyOf(plan);
    const price = prices.get(key);
    if (!price) return [`price ${key} is missing`];
    if (price.currency !== settings.currency)
      return [`price ${key} is in ${price.currency}, but STRIPE_CURRENCY is ${settings.currency}`];
    const wanted = priceOf(plan.product, plan.tier, plan.period);
    return price.unit_amount === wanted
      ? []
      : [`price ${key} is ${price.unit_amount}, but the plan costs ${wanted}`];
  });
  const portals = await stripe.billingPortal.configurations.list({ active: true, limit: 100 });
  const portal = portals.data.find(({ metadata }) => metadata?.keepsake === 'portal');
  faults.push(...(portal ? portalFaults(portal) : ['the portal configuration is missing']));
  const url = new URL(webhookPath, publicUrl).href;
  const endpoints = await stripe.webhookEndpoints.list({ limit: 100 });
  const endpoint = endpoints.data.find((each) => each.url === url);
  faults.push(...(endpoint ? endpointFaults(endpoint) : [`the webhook endpoint ${url} is missing`]));
  return faults;
}

/** What a portal may do that would go past our rules. */
function portalFaults({ features }: Stripe.BillingPortal.Configuration): string[] {
  const faults: string[] = [];
  const cancel = features.subscription_cancel;
  if (cancel.enabled && cancel.mode !== 'at_period_end')
    faults.push('the portal cancels at once, not at the end of the period');
  if (features.subscription_update.enabled) faults.push('the portal changes plans');
  if (features.subscription_pause?.enabled) faults.push('the portal pauses subscriptions');
  if (!features.payment_method_update.enabled) faults.push('the portal does not change payment methods');
  return faults;
}

function endpointFaults({ status, enabled_events: events }: Stripe.WebhookEndpoint): string[] {
  const faults: string[] = [];
  if (status !== 'enabled') faults.push(`the webhook endpoint is ${status}`);
  const missing = events.includes('*') ? [] : eventTypes.filter((type) => !events.includes(type));
  if (missing.length > 0) faults.push(`the webhook endpoint does not send ${missing.join(', ')}`);
  return faults;
}
