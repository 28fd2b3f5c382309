import { z } from 'zod';
import { cancelSubscription } from './cancellations.ts';
import { collectInvoice } from './collect.ts';
import { paymentOf } from './invoices.ts';
import { bool, common, listOf, mergeMetadata, metadata, text, whole } from './parameters.ts';
import { cardRefusal, invalidRequest } from './refusals.ts';
import type { Subscription } from './stored.ts';
import { itemShape } from './subscription-updates.ts';
import { createSubscription } from './subscriptions.ts';
import type { StripeWorld } from './world.ts';

export const createSubscriptionShape = z.strictObject({
  ...common,
  automatic_tax: z.strictObject({ enabled: bool }).optional(),
  customer: text,
  default_payment_method: text.optional(),
  description: text.optional(),
  items: listOf(itemShape),
  metadata,
  off_session: bool.optional(),
  payment_behavior: z.enum(['allow_incomplete', 'default_incomplete', 'error_if_incomplete']).optional(),
  trial_end: whole.optional(),
  trial_period_days: whole.optional(),
});

type Given = z.output<typeof createSubscriptionShape>;

/** A subscription made without Checkout, https://docs.stripe.com/api/subscriptions/create. */
export function createDirectly(world: StripeWorld, given: Given): Subscription {
  const customer = world.require('customer', given.customer, 'customer');
  const method = given.default_payment_method ?? null;
  if (method) world.require('payment_method', method, 'default_payment_method');
  const isTrial = given.trial_period_days !== undefined || given.trial_end !== undefined;
  if (
    !isTrial &&
    !method &&
    !customer.invoice_settings.default_payment_method &&
    given.payment_behavior !== 'default_incomplete'
  ) {
    throw invalidRequest(
      'This customer has no attached payment source or default payment method. Please consider adding a default payment method.',
      { code: 'resource_missing' },
    );
  }
  const days = given.trial_period_days;
  const created = createSubscription(world, {
    customer: customer.id,
    items: given.items.map(({ price = '', quantity = 1 }) => ({ price, quantity })),
    metadata: mergeMetadata({}, given.metadata),
    description: given.description ?? null,
    defaultPaymentMethod: method,
    trialEnd: days === undefined ? (given.trial_end ?? null) : world.seconds() + days * 86_400,
    missingPaymentMethod: 'create_invoice',
    automaticTax: given.automatic_tax?.enabled ?? false,
    isManaged: false,
  });
  const id = created.latest_invoice ?? '';
  if (given.payment_behavior === 'default_incomplete' && !isTrial) return created;
  const invoice = collectInvoice(world, id, { offSession: given.off_session ?? false });
  if (invoice.status !== 'paid' && given.payment_behavior === 'error_if_incomplete') {
    throw cardRefusal(paymentOf(world, id)?.intent.last_payment_error);
  }
  return world.require('subscription', created.id);
}

export const cancelSubscriptionShape = z.strictObject({
  ...common,
  cancellation_details: z.strictObject({ comment: text.optional(), feedback: text.optional() }).optional(),
  // Nothing is credited or charged for the rest of the period unless requested, and this sandbox refuses such
  // requests.
  invoice_now: z.literal('false').optional(),
  prorate: z.literal('false').optional(),
});

export function cancelByRequest(
  world: StripeWorld,
  id: string,
  given: z.output<typeof cancelSubscriptionShape>,
): Subscription {
  return cancelSubscription(world, id, {
    reason: 'cancellation_requested',
    comment: given.cancellation_details?.comment ?? null,
  });
}
