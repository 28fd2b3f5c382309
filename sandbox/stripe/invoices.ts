import { blankInvoice } from './blanks.ts';
import { discountAmounts, spendOnce } from './discounts.ts';
import { holdInvoice } from './pauses.ts';
import { createIntent } from './payments.ts';
import { newId, randomLetters } from './state.ts';
import type { Invoice, InvoiceLine, Price, Subscription } from './stored.ts';
import type { StripeWorld } from './world.ts';

interface LineFacts {
  amount: number;
  currency: string;
  quantity: number;
  description: string;
  period: { start: number; end: number };
  isProration: boolean;
}

/** A line of a subscription's item, or of a one-off invoice item. */
export type NewLine =
  | (LineFacts & { price: Price; subscriptionItem: string })
  | (LineFacts & { price: null; invoiceItem: string });

export interface NewInvoice {
  /** Set for a one-off invoice; a subscription names its own customer. */
  customer?: string;
  currency?: string;
  subscription: Subscription | null;
  lines: NewLine[];
  reason: NonNullable<Invoice['billing_reason']>;
  period: { start: number; end: number };
  prorationDate?: number | undefined;
}

function lineOf(invoice: string, subscription: Subscription | null, line: NewLine): InvoiceLine {
  const { price } = line;
  return {
    id: `il_${randomLetters(24)}`,
    object: 'line_item',
    amount: line.amount,
    currency: line.currency,
    description: line.description,
    discount_amounts: [],
    discountable: !line.isProration,
    discounts: [],
    invoice,
    livemode: false,
    metadata: price ? (subscription?.metadata ?? {}) : {},
    parent: parentOf(subscription, line),
    period: line.period,
    pretax_credit_amounts: [],
    pricing: price && {
      price_details: { price: price.id, product: price.product },
      type: 'price_details',
      unit_amount_decimal: price.unit_amount_decimal,
    },
    quantity: line.quantity,
    quantity_decimal: String(line.quantity),
    subscription: subscription?.id ?? null,
    subtotal: line.amount,
    taxes: [],
  };
}

function parentOf(subscription: Subscription | null, line: NewLine): InvoiceLine['parent'] {
  if (line.price === null)
    return {
      invoice_item_details: {
        invoice_item: line.invoiceItem,
        proration: false,
        proration_details: { credited_items: null },
        subscription: subscription?.id ?? null,
      },
      subscription_item_details: null,
      type: 'invoice_item_details',
    };
  return {
    invoice_item_details: null,
    subscription_item_details: {
      invoice_item: line.isProration ? `ii_${randomLetters(24)}` : null,
      proration: line.isProration,
      proration_details: { credited_items: null },
      subscription: subscription?.id ?? null,
      subscription_item: line.subscriptionItem,
    },
    type: 'subscription_item_details',
  };
}

/** A draft; amounts without tax, which an instance's own Stripe account would compute. */
export function draftInvoice(
  world: StripeWorld,
  { subscription, lines, reason, period, prorationDate, ...given }: NewInvoice,
): Invoice {
  const customer = world.require('customer', subscription?.customer ?? given.customer ?? '');
  const id = newId('invoice');
  const subtotal = lines.reduce((sum, line) => sum + line.amount, 0);
  const discounts = discountAmounts(world, subscription?.discounts ?? [], subtotal);
  const total = discounts.reduce((sum, { amount }) => sum - amount, subtotal);
  const due = Math.max(0, total + customer.balance);
  const now = world.seconds();
  const isTaxed = subscription?.automatic_tax.enabled ?? false;
  const draft = world.create(
    'invoice',
    {
      id,
      object: 'invoice',
      ...blankInvoice,
      amount_due: due,
      amount_remaining: due,
      automatic_tax: {
        disabled_reason: null,
        enabled: isTaxed,
        liability: subscription?.automatic_tax.liability ?? null,
        provider: isTaxed ? 'stripe' : null,
        status: isTaxed ? 'complete' : null,
      },
      automatically_finalizes_at: now + 3600,
      billing_reason: reason,
      created: now,
      currency: subscription?.currency ?? given.currency ?? 'usd',
      customer: customer.id,
      customer_address: customer.address ?? null,
      customer_email: customer.email ?? null,
      customer_name: customer.name ?? null,
      customer_phone: customer.phone ?? null,
      customer_tax_exempt: customer.tax_exempt ?? 'none',
      lines: {
        object: 'list',
        data: lines.map((line) => lineOf(id, subscription, line)),
        has_more: false,
        url: `/v1/invoices/${id}/lines`,
      },
      next_payment_attempt: now + 3600,
      discounts: discounts.map(({ discount }) => discount),
      parent: subscription && {
        quote_details: null,
        subscription_details: {
          metadata: subscription.metadata,
          subscription: subscription.id,
          ...(prorationDate !== undefined && { subscription_proration_date: prorationDate }),
        },
        type: 'subscription_details',
      },
      period_end: period.end,
      period_start: period.start,
      starting_balance: customer.balance,
      subtotal,
      subtotal_excluding_tax: subtotal,
      total,
      total_discount_amounts: discounts,
      total_excluding_tax: total,
      webhooks_delivered_at: now,
    },
    'invoice.created',
  );
  if (subscription) spendOnce(world, subscription, draft.discounts);
  const pause = subscription?.pause_collection;
  return pause ? holdInvoice(world, draft, pause.behavior) : draft;
}

/** Opens a draft: it gets its number, takes from or adds to the balance, and asks for a payment if any is due. */
export function finalizeInvoice(world: StripeWorld, id: string, offSession: boolean): Invoice {
  const draft = world.require('invoice', id);
  const customer = world.require('customer', draft.customer ?? '');
  const sequence = customer.next_invoice_sequence ?? 1;
  const balance = customer.balance;
  const due = Math.max(0, draft.total + balance);
  const ending = draft.total < 0 ? balance + draft.total : Math.min(0, balance + draft.total);
  world.update('customer', customer.id, {
    next_invoice_sequence: sequence + 1,
    currency: draft.currency,
    balance: ending,
  });
  const open = world.update(
    'invoice',
    id,
    {
      status: 'open',
      number: `${customer.invoice_prefix}-${String(sequence).padStart(4, '0')}`,
      starting_balance: balance,
      ending_balance: ending,
      amount_due: due,
      amount_remaining: due,
      automatically_finalizes_at: null,
      effective_at: world.seconds(),
      hosted_invoice_url: world.pageUrl(`/i/${id}`),
      invoice_pdf: world.pageUrl(`/i/${id}/pdf`),
      status_transitions: { ...draft.status_transitions, finalized_at: world.seconds() },
    },
    'invoice.finalized',
  );
  if (due > 0) askForPayment(world, open, offSession);
  return open;
}

function askForPayment(world: StripeWorld, invoice: Invoice, offSession: boolean): void {
  const { id, amount_due: amount, currency } = invoice;
  const intent = createIntent(world, {
    customer: invoice.customer ?? '',
    amount,
    currency,
    description: 'Subscription update',
    offSession,
    invoice: id,
  });
  world.create('invoice_payment', {
    id: newId('invoice_payment'),
    object: 'invoice_payment',
    amount_paid: null,
    amount_requested: amount,
    created: world.seconds(),
    currency,
    invoice: id,
    is_default: true,
    livemode: false,
    payment: { payment_intent: intent.id, type: 'payment_intent' },
    status: 'open',
    status_transitions: { canceled_at: null, paid_at: null },
  });
}

/** The payment of an invoice, and its intent. */
export function paymentOf(world: StripeWorld, invoiceId: string) {
  const payment = world.all('invoice_payment').find(({ invoice }) => invoice === invoiceId);
  const intent = world.find('payment_intent', payment?.payment.payment_intent ?? '');
  return payment && intent ? { payment, intent } : null;
}

/** The invoice that a payment belongs to: intents no longer name it since 2025-03-31.basil. */
export function invoiceOfIntent(world: StripeWorld, intentId: string): Invoice | null {
  const payment = world.all('invoice_payment').find(({ payment: paid }) => paid.payment_intent === intentId);
  return payment ? world.find('invoice', payment.invoice) : null;
}

export function markPaid(world: StripeWorld, id: string): Invoice {
  const invoice = world.require('invoice', id);
  const now = world.seconds();
  const found = paymentOf(world, id);
  if (found) {
    world.update(
      'invoice_payment',
      found.payment.id,
      {
        status: 'paid',
        amount_paid: invoice.amount_due,
        status_transitions: { canceled_at: null, paid_at: now },
      },
      'invoice_payment.paid',
    );
  }
  const paid = world.update('invoice', id, {
    status: 'paid',
    amount_paid: invoice.amount_due,
    amount_remaining: 0,
    attempted: true,
    attempt_count: invoice.amount_due > 0 ? invoice.attempt_count + 1 : invoice.attempt_count,
    next_payment_attempt: null,
    auto_advance: false,
    status_transitions: { ...invoice.status_transitions, paid_at: now },
  });
  world.emit('invoice.paid', paid);
  world.emit('invoice.payment_succeeded', paid);
  return paid;
}

export function voidInvoice(world: StripeWorld, id: string): Invoice {
  const invoice = world.require('invoice', id);
  const found = paymentOf(world, id);
  if (found) {
    const now = world.seconds();
    world.update(
      'payment_intent',
      found.intent.id,
      { status: 'canceled', canceled_at: now, cancellation_reason: 'void_invoice', next_action: null },
      'payment_intent.canceled',
    );
    world.update('invoice_payment', found.payment.id, {
      status: 'canceled',
      status_transitions: { canceled_at: now, paid_at: null },
    });
  }
  return world.update(
    'invoice',
    id,
    {
      status: 'void',
      auto_advance: false,
      next_payment_attempt: null,
      status_transitions: { ...invoice.status_transitions, voided_at: world.seconds() },
    },
    'invoice.voided',
  );
}
