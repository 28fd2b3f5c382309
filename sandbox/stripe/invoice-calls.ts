import { z } from 'zod';
import { collectInvoice, subscriptionOf } from './collect.ts';
import { finalizeInvoice, paymentOf, voidInvoice } from './invoices.ts';
import { isWithin } from './lists.ts';
import { bool, common, createdRange, listOf, paging, text } from './parameters.ts';
import { cardRefusal, invalidRequest, StripeRefusal } from './refusals.ts';
import { randomLetters } from './state.ts';
import type { Invoice, InvoicePayment, Subscription } from './stored.ts';
import { changeFields, draftPreview, itemShape } from './subscription-updates.ts';
import { createSubscription } from './subscriptions.ts';
import type { StripeWorld } from './world.ts';

const upcomingNone = { code: 'invoice_upcoming_none' };

export const listInvoicesShape = z.strictObject({
  ...paging,
  created: createdRange,
  customer: text.optional(),
  status: z.enum(['draft', 'open', 'paid', 'uncollectible', 'void']).optional(),
  subscription: text.optional(),
});

export function listInvoices(world: StripeWorld, given: z.output<typeof listInvoicesShape>): Invoice[] {
  return world
    .all('invoice')
    .filter(
      (invoice) =>
        (!given.customer || invoice.customer === given.customer) &&
        (!given.status || invoice.status === given.status) &&
        (!given.subscription || invoice.parent?.subscription_details?.subscription === given.subscription) &&
        isWithin(invoice.created, given.created),
    );
}

export const previewShape = z.strictObject({
  ...common,
  automatic_tax: z.unknown().optional(),
  customer: text.optional(),
  preview_mode: z.literal('next').optional(),
  schedule: text.optional(),
  subscription: text.optional(),
  subscription_details: z.strictObject({ ...changeFields, items: listOf(itemShape).optional() }).optional(),
});

/** Previews the cost of a change, to the same second as the change itself; nothing of it is stored. */
export function previewInvoice(world: StripeWorld, given: z.output<typeof previewShape>): Invoice {
  const { subscription, schedule, subscription_details: details = {} } = given;
  if (schedule !== undefined && (subscription !== undefined || given.subscription_details))
    // The SDK's types show that they exclude each other; the words are believed.
    throw invalidRequest('You may only specify one of these parameters: schedule, subscription.', {
      param: 'schedule',
    });
  const id = schedule === undefined ? subscription : subscriptionOfSchedule(world, schedule);
  const draft = world.rehearse(() => {
    if (id !== undefined) {
      world.require('subscription', id, 'subscription');
      return draftPreview(world, id, details);
    }
    const customer = world.require('customer', given.customer ?? '', 'customer');
    const created = createSubscription(world, {
      customer: customer.id,
      items: (details.items ?? []).map(({ price = '', quantity = 1 }) => ({ price, quantity })),
      metadata: {},
      description: null,
      defaultPaymentMethod: null,
      trialEnd: typeof details.trial_end === 'number' ? details.trial_end : null,
      missingPaymentMethod: 'create_invoice',
      automaticTax: false,
      isManaged: false,
    });
    return world.require('invoice', created.latest_invoice ?? '');
  });
  return {
    ...draft,
    id: `upcoming_in_${randomLetters(24)}`,
    automatically_finalizes_at: null,
    billing_reason: 'upcoming',
  };
}

function subscriptionOfSchedule(world: StripeWorld, schedule: string): string {
  const { subscription } = world.require('subscription_schedule', schedule, 'schedule');
  // Believed.
  if (!subscription) throw invalidRequest(`No upcoming invoices for schedule: ${schedule}`, upcomingNone);
  return subscription;
}

export const payInvoiceShape = z.strictObject({
  ...common,
  off_session: bool.optional(),
  payment_method: text.optional(),
});

/** Charges an open invoice again, https://docs.stripe.com/api/invoices/pay; a declined attempt is recorded and refused. */
export function payInvoice(
  world: StripeWorld,
  id: string,
  given: z.output<typeof payInvoiceShape>,
): Invoice | StripeRefusal {
  const invoice = world.require('invoice', id);
  if (invoice.status === 'paid')
    throw invalidRequest('Invoice is already paid', { code: 'invoice_already_paid' });
  // Believed.
  if (invoice.status === 'void') throw invalidRequest('Invoice is voided and cannot be paid.');
  const paid = collectInvoice(world, id, {
    offSession: given.off_session ?? true,
    paymentMethod: given.payment_method,
  });
  return declineOf(world, paid) ?? paid;
}

function declineOf(world: StripeWorld, invoice: Invoice): StripeRefusal | null {
  if (invoice.status === 'paid') return null;
  const intent = paymentOf(world, invoice.id)?.intent;
  if (intent?.status === 'processing') return null;
  if (intent?.status === 'requires_action') {
    return new StripeRefusal(402, {
      type: 'card_error',
      code: 'invoice_payment_intent_requires_action',
      message:
        'This payment requires additional user action before it can be completed successfully. Payment can be completed using the PaymentIntent associated with the invoice.',
    });
  }
  return cardRefusal(intent?.last_payment_error);
}

export function finalizeByRequest(world: StripeWorld, id: string): Invoice {
  if (world.require('invoice', id).status !== 'draft') {
    throw invalidRequest("This invoice is already finalized, you can't re-finalize a non-draft invoice.");
  }
  return finalizeInvoice(world, id, true);
}

export function voidByRequest(world: StripeWorld, id: string): Invoice {
  if (world.require('invoice', id).status !== 'open')
    throw invalidRequest('You can only pass in open invoices. This invoice isn’t open.');
  // Users of the live API report that it is refused, https://github.com/frappe/press/pull/2421; the words are believed.
  if (paymentOf(world, id)?.intent.status === 'processing')
    throw invalidRequest('You cannot void an invoice while its payment is processing.');
  const invoice = voidInvoice(world, id);
  const subscription = subscriptionOf(world, invoice);
  if (subscription?.pending_update && subscription.latest_invoice === id) {
    world.update('subscription', subscription.id, { pending_update: null }, 'customer.subscription.updated');
  }
  if (subscription) readjust(world, subscription);
  return invoice;
}

/** The status follows from the most recent invoice that is not voided, https://docs.stripe.com/billing/subscriptions/overview. */
function readjust(world: StripeWorld, { id, status }: Subscription): void {
  if (status !== 'past_due') return;
  const latest = listInvoices(world, { subscription: id }).find((one) => one.status !== 'void');
  if (latest?.status === 'paid')
    world.update('subscription', id, { status: 'active' }, 'customer.subscription.updated');
}

export const listPaymentsShape = z.strictObject({
  ...paging,
  created: createdRange,
  invoice: text.optional(),
  payment: z.strictObject({ type: text, payment_intent: text.optional() }).optional(),
  status: z.enum(['open', 'paid', 'canceled']).optional(),
});

export function listPayments(
  world: StripeWorld,
  given: z.output<typeof listPaymentsShape>,
): InvoicePayment[] {
  const { invoice, payment, status } = given;
  return world
    .all('invoice_payment')
    .filter(
      (one) =>
        (!invoice || one.invoice === invoice) &&
        (!payment?.payment_intent || one.payment.payment_intent === payment.payment_intent) &&
        (!status || one.status === status) &&
        isWithin(one.created, given.created),
    );
}
