import { z } from 'zod';
import { draftInvoice, type NewLine } from './invoices.ts';
import { bool, common, mergeMetadata, metadata, paging, text, whole } from './parameters.ts';
import { invalidRequest } from './refusals.ts';
import { newId } from './state.ts';
import type { Invoice, InvoiceItem } from './stored.ts';
import type { StripeWorld } from './world.ts';

export const createItemShape = z.strictObject({
  ...common,
  amount: whole,
  currency: text,
  customer: text,
  description: text.optional(),
  metadata,
  subscription: text.optional(),
});
export const listItemsShape = z.strictObject({
  ...paging,
  customer: text.optional(),
  pending: bool.optional(),
});

/** A one-off charge, which waits for the customer's next invoice, https://docs.stripe.com/api/invoiceitems/create. */
export function createItem(world: StripeWorld, given: z.output<typeof createItemShape>): InvoiceItem {
  const { id: customer } = world.require('customer', given.customer, 'customer');
  if (given.subscription) world.require('subscription', given.subscription, 'subscription');
  const now = world.seconds();
  return world.create(
    'invoiceitem',
    {
      id: newId('invoiceitem'),
      object: 'invoiceitem',
      amount: given.amount,
      currency: given.currency,
      customer,
      customer_account: null,
      date: now,
      description: given.description ?? null,
      discountable: true,
      discounts: [],
      invoice: null,
      livemode: false,
      metadata: mergeMetadata({}, given.metadata),
      net_amount: given.amount,
      parent: given.subscription
        ? {
            subscription_details: { subscription: given.subscription },
            type: 'subscription_details',
          }
        : null,
      period: { start: now, end: now },
      pricing: null,
      proration: false,
      quantity: 1,
      quantity_decimal: '1',
      tax_rates: [],
      test_clock: null,
    },
    'invoiceitem.created',
  );
}

const subscriptionOfItem = ({ parent }: InvoiceItem): string | null =>
  parent?.subscription_details?.subscription ?? null;

export const listItems = (world: StripeWorld, given: z.output<typeof listItemsShape>): InvoiceItem[] =>
  world
    .all('invoiceitem')
    .filter(
      ({ customer, invoice }) =>
        (!given.customer || customer === given.customer) &&
        (given.pending === undefined || (invoice === null) === given.pending),
    );

/** Charges that wait for an invoice of a customer: of the subscription, or of none. */
export function pendingItemLines(
  world: StripeWorld,
  customer: string,
  subscription: string | null,
): NewLine[] {
  return listItems(world, { customer, pending: true })
    .filter((item) => [null, subscription].includes(subscriptionOfItem(item)))
    .map(({ id, amount, currency, description, period }) => ({
      amount,
      currency,
      price: null,
      quantity: 1,
      description: description ?? '',
      period,
      invoiceItem: id,
      isProration: false,
    }));
}

export function markInvoiced(world: StripeWorld, lines: readonly NewLine[], invoice: string): void {
  for (const line of lines)
    if (line.price === null) world.update('invoiceitem', line.invoiceItem, { invoice });
}

export const createInvoiceShape = z.strictObject({
  ...common,
  auto_advance: bool.optional(),
  customer: text,
  description: text.optional(),
  metadata,
  pending_invoice_items_behavior: z.enum(['exclude', 'include']).optional(),
  subscription: text.optional(),
});

/**
 * A draft for pending items, https://docs.stripe.com/api/invoices/create. It is believed to become its
 * subscription's latest invoice.
 */
export function createInvoice(world: StripeWorld, given: z.output<typeof createInvoiceShape>): Invoice {
  const { id: customer, currency } = world.require('customer', given.customer, 'customer');
  const subscription = given.subscription
    ? world.require('subscription', given.subscription, 'subscription')
    : null;
  const isEmpty = given.pending_invoice_items_behavior !== 'include' && !subscription;
  const lines = isEmpty ? [] : pendingItemLines(world, customer, subscription?.id ?? null);
  if (subscription && lines.length === 0)
    throw invalidRequest(`Nothing to invoice for customer`, { code: 'invoice_no_customer_line_items' });
  const now = world.seconds();
  const draft = draftInvoice(world, {
    customer,
    currency: currency ?? lines[0]?.currency ?? 'usd',
    subscription,
    lines,
    reason: 'manual',
    period: { start: now, end: now },
  });
  markInvoiced(world, lines, draft.id);
  if (subscription) world.update('subscription', subscription.id, { latest_invoice: draft.id });
  return world.update('invoice', draft.id, {
    auto_advance: given.auto_advance ?? false,
    ...(given.auto_advance ? {} : { automatically_finalizes_at: null, next_payment_attempt: null }),
    description: given.description ?? null,
    metadata: mergeMetadata({}, given.metadata),
  });
}
