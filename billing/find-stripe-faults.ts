import type Stripe from 'stripe';
import { priceOf } from '#domain/plan/plans.ts';
import type { BillingSettings } from '#platform/shared-variables.ts';
import { findMethodFaults } from './find-method-faults.ts';
import { eventTypes } from './handle-events.ts';
import { lookupKeyOf, paidPlans, readPrices } from './prices.ts';
import { webhookUrlOf } from './stripe-client.ts';

/** An account at Stripe, and how the instance uses it. */
export interface Account {
  stripe: Stripe;
  settings: Pick<BillingSettings, 'currency' | 'tax' | 'debits' | 'portalConfiguration'>;
  publicUrl: URL;
}

/** A difference between an account, or its settings here, and the needs of the plans. */
export interface StripeFault {
  name:
    | 'stripePriceMissing'
    | 'stripePriceDiffers'
    | 'stripeTaxCodeMissing'
    | 'stripePortalMissing'
    | 'stripePortalDiffers'
    | 'stripePortalNotSet'
    | 'stripeMethodsDiffer'
    | 'stripeMethodsUnreadable'
    | 'stripeWebhookMissing'
    | 'stripeWebhookDiffers';
  /** The difference, in words for the operator. */
  what: string;
}

/** Compares an account with the needs of the plans. Changes nothing; throws Stripe's errors. */
export async function findStripeFaults(account: Account): Promise<StripeFault[]> {
  return [
    ...(await priceFaults(account)),
    ...(await taxCodeFaults(account)),
    ...(await findPortalFaults(account)),
    ...(await findMethodFaults(account, await findPortal(account))),
    ...(await findEndpointFaults(account)),
  ];
}

async function priceFaults({ stripe, settings }: Account): Promise<StripeFault[]> {
  const prices = await readPrices(stripe);
  return paidPlans.flatMap((plan): StripeFault[] => {
    const key = lookupKeyOf(plan);
    const price = prices.get(key);
    if (!price) return [{ name: 'stripePriceMissing', what: `price ${key} is missing` }];
    if (price.currency !== settings.currency) {
      const what = `price ${key} is in ${price.currency}, but STRIPE_CURRENCY is ${settings.currency}`;
      return [{ name: 'stripePriceDiffers', what }];
    }
    const amount = priceOf(plan.product, plan.tier, plan.period);
    if (price.unit_amount === amount) return [];
    const what = `price ${key} is ${price.unit_amount}, but the plan costs ${amount}`;
    return [{ name: 'stripePriceDiffers', what }];
  });
}

/** The products of the plans, by the metadata that the setup gave them. */
export async function* listPlanProducts(stripe: Stripe) {
  for await (const { metadata, ...product } of stripe.products.list({ active: true, limit: 100 })) {
    const { keepsake_plan: plan } = metadata;
    if (plan) yield { ...product, metadata: { keepsake_plan: plan } };
  }
}

/**
 * Finds missing tax codes. Stripe sells in its own name only products with a tax code. Stripe Tax has a code
 * for the whole account as well.
 */
async function taxCodeFaults({ stripe, settings }: Account): Promise<StripeFault[]> {
  if (settings.tax !== 'managed') return [];
  const faults: StripeFault[] = [];
  for await (const { name, tax_code: taxCode } of listPlanProducts(stripe))
    if (taxCode === null)
      faults.push({ name: 'stripeTaxCodeMissing', what: `the product ${name} has no tax code` });
  return faults;
}

/** The configuration of the portal that the setup made, or null. */
export async function findPortal({
  stripe,
}: Pick<Account, 'stripe'>): Promise<Stripe.BillingPortal.Configuration | null> {
  const portals = await stripe.billingPortal.configurations.list({ active: true, limit: 100 });
  return portals.data.find(({ metadata }) => metadata?.keepsake === 'portal') ?? null;
}

async function findPortalFaults({ stripe, settings }: Account): Promise<StripeFault[]> {
  const portal = await findPortal({ stripe });
  if (!portal) return [{ name: 'stripePortalMissing', what: 'the portal configuration is missing' }];
  const faults: StripeFault[] = portalFaults(portal).map((what) => ({ name: 'stripePortalDiffers', what }));
  if (settings.portalConfiguration !== portal.id) {
    const what = `STRIPE_PORTAL_CONFIGURATION is ${settings.portalConfiguration ?? 'not set'}, but the portal configuration is ${portal.id}`;
    faults.push({ name: 'stripePortalNotSet', what });
  }
  return faults;
}

async function findEndpointFaults({ stripe, publicUrl }: Account): Promise<StripeFault[]> {
  const url = webhookUrlOf(publicUrl);
  const endpoints = await stripe.webhookEndpoints.list({ limit: 100 });
  const endpoint = endpoints.data.find((each) => each.url === url);
  if (!endpoint) return [{ name: 'stripeWebhookMissing', what: `the webhook endpoint ${url} is missing` }];
  return endpointFaults(endpoint).map((what) => ({ name: 'stripeWebhookDiffers', what }));
}

/** Lists the portal's permissions that would bypass our rules. */
export function portalFaults({ features }: Stripe.BillingPortal.Configuration): string[] {
  const faults: string[] = [];
  const cancel = features.subscription_cancel;
  if (cancel.enabled && cancel.mode !== 'at_period_end')
    faults.push('the portal cancels at once, not at the end of the period');
  if (features.subscription_update.enabled) faults.push('the portal changes plans');
  if (features.subscription_pause?.enabled) faults.push('the portal pauses subscriptions');
  if (!features.payment_method_update.enabled) faults.push('the portal does not change payment methods');
  return faults;
}

/** Lists the events that an endpoint does not send. */
export function endpointFaults({ status, enabled_events: events }: Stripe.WebhookEndpoint): string[] {
  const faults: string[] = [];
  if (status !== 'enabled') faults.push(`the webhook endpoint is ${status}`);
  const missing = events.includes('*') ? [] : eventTypes.filter((type) => !events.includes(type));
  if (missing.length > 0) faults.push(`the webhook endpoint does not send ${missing.join(', ')}`);
  return faults;
}
