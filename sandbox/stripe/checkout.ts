import { z } from 'zod';
import { blankSession } from './blanks.ts';
import { attachCard, type DemoCard } from './cards.ts';
import { lineItemsOf } from './checkout-lines.ts';
import { offeredMethods } from './checkout-methods.ts';
import { collectInvoice } from './collect.ts';
import { createCustomer } from './customers.ts';
import { attachDebit, type DemoDebit } from './debits.ts';
import { isWithin } from './lists.ts';
import {
  bool,
  common,
  createdRange,
  listOf,
  mergeMetadata,
  metadata,
  paging,
  text,
  whole,
} from './parameters.ts';
import { daySeconds } from './periods.ts';
import { invalidRequest } from './refusals.ts';
import { type CheckoutPlan, newId, randomLetters } from './state.ts';
import type { CheckoutSession, Invoice } from './stored.ts';
import { createSubscription, requireRecurring } from './subscriptions.ts';
import type { StripeWorld } from './world.ts';

const subscriptionData = z
  .strictObject({
    billing_mode: z
      .strictObject({ type: z.literal('flexible'), flexible: z.unknown().optional() })
      .optional(),
    description: text.optional(),
    metadata,
    trial_end: whole.optional(),
    trial_period_days: whole.optional(),
    trial_settings: z
      .strictObject({
        end_behavior: z.strictObject({
          missing_payment_method: z.enum(['cancel', 'create_invoice', 'pause']),
        }),
      })
      .optional(),
  })
  .optional();

/**
 * The parameters of a checkout for a subscription; other modes are refused,
 * https://docs.stripe.com/api/checkout/sessions/create.
 */
export const createSessionShape = z.strictObject({
  ...common,
  adaptive_pricing: z.strictObject({ enabled: bool }).optional(),
  allow_promotion_codes: bool.optional(),
  allowed_payment_method_types: listOf(text).optional(),
  automatic_tax: z.strictObject({ enabled: bool }).optional(),
  billing_address_collection: z.enum(['auto', 'required']).optional(),
  cancel_url: text.optional(),
  client_reference_id: text.max(200).optional(),
  consent_collection: z.unknown().optional(),
  custom_text: z.unknown().optional(),
  customer: text.optional(),
  customer_email: text.optional(),
  customer_update: z
    .strictObject({ address: text.optional(), name: text.optional(), shipping: text.optional() })
    .optional(),
  expires_at: whole.optional(),
  integration_identifier: text.optional(),
  line_items: listOf(
    z.strictObject({ price: text, quantity: whole.optional(), tax_rates: z.unknown().optional() }),
  ),
  locale: text.optional(),
  managed_payments: z.strictObject({ enabled: bool }).optional(),
  metadata,
  mode: z.literal('subscription', 'The sandbox’s Checkout knows only `mode=subscription`.'),
  payment_method_collection: z.enum(['always', 'if_required']).optional(),
  saved_payment_method_options: z.unknown().optional(),
  subscription_data: subscriptionData,
  success_url: text,
  tax_id_collection: z.strictObject({ enabled: bool, required: text.optional() }).optional(),
  ui_mode: z.enum(['hosted', 'hosted_page']).optional(),
});

export const updateSessionShape = z.strictObject({ ...common, metadata });
export const listSessionsShape = z.strictObject({
  ...paging,
  created: createdRange,
  customer: text.optional(),
  payment_intent: text.optional(),
  status: z.enum(['open', 'complete', 'expired']).optional(),
  subscription: text.optional(),
});

type Given = z.output<typeof createSessionShape>;

function expiryOf(world: StripeWorld, given: number | undefined): number {
  const now = world.seconds();
  const expiry = given ?? now + daySeconds;
  if (expiry < now + 1800 || expiry > now + daySeconds) {
    // The bounds are documented, the words are believed.
    throw invalidRequest(
      'The `expires_at` timestamp must be less than 24 hours and at least 30 minutes from Checkout Session creation.',
      { param: 'expires_at' },
    );
  }
  return expiry;
}

function planOf(world: StripeWorld, given: Given): CheckoutPlan {
  const { subscription_data: data } = given;
  if (data?.trial_period_days !== undefined && data.trial_end !== undefined) {
    // Believed.
    throw invalidRequest('You can only set one of `trial_end` and `trial_period_days`.', {
      param: 'subscription_data',
    });
  }
  if (data?.trial_period_days !== undefined && (data.trial_period_days < 1 || data.trial_period_days > 730)) {
    // Believed.
    throw invalidRequest('Invalid trial_period_days: must be between 1 and 730.', {
      param: 'subscription_data[trial_period_days]',
    });
  }
  // https://docs.stripe.com/payments/checkout/free-trials
  if (data?.trial_end !== undefined && data.trial_end < world.seconds() + 2 * daySeconds) {
    throw invalidRequest('The `trial_end` date has to be at least 2 days in the future.', {
      param: 'subscription_data[trial_end]',
    });
  }
  return {
    items: given.line_items.map(({ price, quantity = 1 }, index) => {
      requireRecurring(world, price, `line_items[${index}][price]`);
      return { price, quantity };
    }),
    trialDays: data?.trial_period_days ?? null,
    trialEnd: data?.trial_end ?? null,
    metadata: mergeMetadata({}, data?.metadata),
    description: data?.description ?? null,
    missingPaymentMethod: data?.trial_settings?.end_behavior.missing_payment_method ?? 'create_invoice',
    challengedCard: null,
  };
}

/**
 * Stripe's requirements for sales in its own name: no tax of ours, and products with a tax code,
 * https://docs.stripe.com/payments/managed-payments/update-checkout. The words of the first refusal were
 * reported by users of the live API; those of the second are believed.
 */
function requireManageable(world: StripeWorld, given: Given): void {
  for (const param of ['automatic_tax', 'tax_id_collection', 'customer_update'] as const)
    if (given[param] !== undefined) throw invalidRequest(`Unsupported parameter: ${param}`, { param });
  for (const [index, { price }] of given.line_items.entries()) {
    const product = world.require('product', world.require('price', price).product);
    if (product.tax_code === null)
      throw invalidRequest(
        `The product ${product.id} needs a tax code that is eligible for Managed Payments.`,
        {
          param: `line_items[${index}]`,
        },
      );
  }
}

export function createSession(world: StripeWorld, given: Given): CheckoutSession {
  if (given.customer && given.customer_email) {
    throw invalidRequest('You may only specify one of these parameters: customer, customer_email.', {
      param: 'customer',
    });
  }
  // A deleted customer is refused like an unknown one, https://github.com/woocommerce/woocommerce-gateway-stripe/issues/4052.
  const customer = given.customer ? world.require('customer', given.customer, 'customer') : null;
  const plan = planOf(world, given);
  if (given.managed_payments?.enabled) requireManageable(world, given);
  if (plan.items.length === 0)
    throw invalidRequest('Missing required param: line_items.', {
      code: 'parameter_missing',
      param: 'line_items',
    });
  const id = newId('checkout.session');
  world.setCheckout(id, plan);
  const lines = lineItemsOf(world, id).data;
  const currency = lines[0]?.currency ?? 'usd';
  if (customer?.currency && customer.currency !== currency) {
    throw invalidRequest(
      `You cannot combine currencies on a single customer. This customer has an active subscription, subscription schedule, discount, quote, or invoice item with currency ${customer.currency}.`,
    );
  }
  const total = lines.reduce((sum, line) => sum + line.amount_total, 0);
  return world.create('checkout.session', {
    ...emptySession(world, given),
    id,
    amount_subtotal: total,
    amount_total: total,
    currency,
    payment_method_types: offeredMethods(world, given.allowed_payment_method_types, currency),
    customer: customer?.id ?? null,
    customer_details:
      customer || given.customer_email
        ? {
            address: null,
            business_name: null,
            email: customer?.email ?? given.customer_email ?? null,
            individual_name: null,
            name: null,
            phone: null,
            tax_exempt: 'none',
            tax_ids: null,
          }
        : null,
    expires_at: expiryOf(world, given.expires_at),
    url: world.pageUrl(`/c/pay/${id}`),
  });
}

function emptySession(world: StripeWorld, given: Given): Omit<CheckoutSession, 'id' | 'expires_at'> {
  const taxed = given.automatic_tax?.enabled ?? false;
  return {
    object: 'checkout.session',
    ...blankSession,
    adaptive_pricing: { enabled: given.adaptive_pricing?.enabled ?? false },
    allow_promotion_codes: given.allow_promotion_codes ?? null,
    allowed_payment_method_types: given.allowed_payment_method_types ?? null,
    automatic_tax: {
      enabled: taxed,
      liability: taxed ? { type: 'self' } : null,
      provider: taxed ? 'stripe' : null,
      status: taxed ? 'requires_location_inputs' : null,
    },
    billing_address_collection: given.billing_address_collection ?? null,
    cancel_url: given.cancel_url ?? null,
    client_reference_id: given.client_reference_id ?? null,
    created: world.seconds(),
    customer_creation: given.customer ? null : 'always',
    customer_email: given.customer_email ?? null,
    integration_identifier: given.integration_identifier ?? null,
    locale: (given.locale as CheckoutSession['locale']) ?? null,
    managed_payments: { enabled: given.managed_payments?.enabled ?? false },
    metadata: mergeMetadata({}, given.metadata),
    payment_method_collection: given.payment_method_collection ?? 'always',
    payment_method_types: ['card'],
    success_url: given.success_url,
  };
}

export function expireSession(world: StripeWorld, id: string): CheckoutSession {
  const { status } = world.require('checkout.session', id);
  if (status !== 'open') {
    throw invalidRequest(
      `Only Checkout Sessions with a status in ["open"] can be expired. This Checkout Session has a status of \`${status}\`.`,
    );
  }
  return world.update('checkout.session', id, { status: 'expired', url: null }, 'checkout.session.expired');
}

export function listSessions(
  world: StripeWorld,
  given: z.output<typeof listSessionsShape>,
): CheckoutSession[] {
  const { customer, status, subscription } = given;
  return world
    .all('checkout.session')
    .filter(
      (session) =>
        (!customer || session.customer === customer) &&
        (!status || session.status === status) &&
        (!subscription || session.subscription === subscription) &&
        isWithin(session.created, given.created),
    );
}

/** The customer pays: saves the card or the account, makes the subscription, and pays its first invoice. */
export function completeSession(
  world: StripeWorld,
  id: string,
  chosen: DemoCard | DemoDebit,
): CheckoutSession {
  const session = world.require('checkout.session', id);
  const plan = world.state.checkouts[id];
  // Believed.
  if (session.status !== 'open' || !plan) throw invalidRequest('This Checkout Session is no longer open.');
  const customer = session.customer ?? newCustomer(world, session);
  const method =
    'type' in chosen ? attachDebit(world, chosen, customer) : attachCard(world, chosen, customer);
  const trialEnd = plan.trialDays ? world.seconds() + plan.trialDays * daySeconds : plan.trialEnd;
  const created = createSubscription(world, {
    customer,
    items: plan.items,
    metadata: plan.metadata,
    description: plan.description,
    defaultPaymentMethod: method.id,
    trialEnd,
    missingPaymentMethod: plan.missingPaymentMethod,
    automaticTax: session.automatic_tax.enabled,
    isManaged: session.managed_payments?.enabled ?? false,
  });
  const invoice = collectInvoice(world, created.latest_invoice ?? '', {
    offSession: false,
    paymentMethod: method.id,
    isAuthenticated: true,
  });
  return world.update(
    'checkout.session',
    id,
    {
      status: 'complete',
      payment_status: paymentStatusOf(invoice),
      customer,
      subscription: created.id,
      invoice: invoice.id,
      url: null,
      ...(session.automatic_tax.enabled && {
        automatic_tax: { ...session.automatic_tax, status: 'complete' },
      }),
    },
    'checkout.session.completed',
  );
}

/** A debit is unpaid when the checkout is completed, https://docs.stripe.com/checkout/fulfillment. */
function paymentStatusOf({ amount_due: due, status }: Invoice): CheckoutSession['payment_status'] {
  if (due === 0) return 'no_payment_required';
  return status === 'paid' ? 'paid' : 'unpaid';
}

function newCustomer(world: StripeWorld, session: CheckoutSession): string {
  return createCustomer(world, { email: session.customer_email ?? `guest-${randomLetters(6)}@example.com` })
    .id;
}
