import type Stripe from 'stripe';
import { day } from '#domain/kernel/time.ts';
import type { Plan } from '#domain/plan/plans.ts';
import { firstFailureOf } from '#domain/subscription/event-inbox.ts';
import {
  type InvoiceFacts,
  type InvoiceLine,
  nothingPaid,
  type Paid,
  paidOf,
} from '#domain/subscription/paid-until.ts';
import { answerWatch } from '#platform/answers/answer-watch.ts';
import { invoiceShape } from './answer-shapes.ts';
import type { Billing } from './billing.ts';
import { planOfPrice } from './prices.ts';
import { planIn } from './subscription-facts.ts';

/** Invoices older than the longest period cover nothing any more. */
const REACH_MS = 400 * day;
const second = 1000;

const hasEnded = ({ status }: Stripe.Subscription): boolean =>
  status === 'canceled' || status === 'incomplete_expired';

/**
 * Reads the facts about a subscription's plan from its invoices. After the end of its last period they say
 * nothing any more.
 */
export async function readPaid(billing: Billing, subscription: Stripe.Subscription): Promise<Paid> {
  const nowMs = billing.now();
  const endsMs = Math.max(0, ...subscription.items.data.map((item) => item.current_period_end * second));
  if (subscription.status === 'incomplete_expired') return nothingPaid;
  if (hasEnded(subscription) && endsMs <= nowMs) return nothingPaid;
  const invoices = await billing.stripe.invoices
    .list({
      subscription: subscription.id,
      created: { gte: Math.floor((nowMs - REACH_MS) / second) },
      limit: 100,
    })
    .autoPagingToArray({ limit: 1000 });
  const isOverdue = !['active', 'trialing'].includes(subscription.status) && !hasEnded(subscription);
  const facts: InvoiceFacts[] = [];
  for (const invoice of invoices) facts.push(await factsOf(billing, invoice, { nowMs, isOverdue }));
  return paidOf(facts, planIn(subscription), nowMs);
}

function statusOf({ status }: Stripe.Invoice): InvoiceFacts['status'] {
  if (status === 'paid') return 'paid';
  return status === 'void' ? 'void' : 'unpaid';
}

async function factsOf(
  billing: Billing,
  invoice: Stripe.Invoice,
  { nowMs, isOverdue }: { nowMs: number; isOverdue: boolean },
): Promise<InvoiceFacts> {
  answerWatch.look(invoiceShape, invoice);
  const lines = await linesOf(billing, invoice);
  const forPlan = lines.filter(({ plan, amount }) => plan !== null && amount > 0);
  const facts: InvoiceFacts = {
    status: statusOf(invoice),
    createdAtMs: invoice.created * second,
    lines,
    total: invoice.total,
    charged: invoice.amount_paid,
    returned: 0,
    returnedBy: null,
    payments: [],
    collection: 'pending',
    failedAtMs: null,
  };
  // An invoice that covers no time to come need not be read.
  if (facts.status === 'paid' && forPlan.some(({ endMs }) => endMs > nowMs))
    return { ...facts, ...(await returnsOf(billing, invoice)) };
  // A debit may be under way while the status says that all is well.
  const isAsked = isOverdue || invoice.status === 'open';
  if (facts.status === 'unpaid' && isAsked && forPlan.some(({ isProration }) => !isProration))
    return { ...facts, ...(await collectionOf(billing, invoice)) };
  return facts;
}

async function linesOf(billing: Billing, invoice: Stripe.Invoice): Promise<InvoiceLine[]> {
  const { stripe } = billing;
  const { has_more: hasMore, data } = invoice.lines;
  const all = hasMore
    ? await stripe.invoices.listLineItems(invoice.id, { limit: 100 }).autoPagingToArray({ limit: 1000 })
    : data;
  const lines: InvoiceLine[] = [];
  for (const line of all)
    lines.push({
      plan: await planOfLine(billing, line),
      amount: line.amount,
      startMs: line.period.start * second,
      endMs: line.period.end * second,
      isProration: parentOf(line)?.proration ?? false,
    });
  return lines;
}

const parentOf = ({ parent }: Stripe.InvoiceLineItem) =>
  parent?.subscription_item_details ?? parent?.invoice_item_details ?? null;

/** The plan that a line is for: one that somebody put on the invoice by hand is for none. */
export async function planOfLine(billing: Billing, line: Stripe.InvoiceLineItem): Promise<Plan | null> {
  const price = line.pricing?.price_details?.price;
  const isByHand = !line.parent?.subscription_item_details && !parentOf(line)?.proration;
  if (!price || isByHand) return null;
  return planOfPrice(billing, typeof price === 'string' ? price : price.id);
}

interface Payment {
  intent: Stripe.PaymentIntent | null;
  charge: Stripe.Charge | null;
}

async function paymentsOf({ stripe }: Billing, invoice: string): Promise<Payment[]> {
  const expand = ['data.payment.payment_intent.latest_charge'];
  const { data } = await stripe.invoicePayments.list({ invoice, limit: 100, expand });
  const payments: Payment[] = [];
  for (const { payment } of data) {
    const intent = typeof payment.payment_intent === 'object' ? payment.payment_intent : null;
    const direct = typeof payment.charge === 'string' ? await stripe.charges.retrieve(payment.charge) : null;
    const latest = intent && typeof intent.latest_charge === 'object' ? intent.latest_charge : null;
    payments.push({ intent, charge: latest ?? direct });
  }
  return payments;
}

/** The part of a paid invoice that went back. A credit note that pays money back is a refund of the charge, too: it counts once. */
async function returnsOf(
  billing: Billing,
  invoice: Stripe.Invoice,
): Promise<Pick<InvoiceFacts, 'returned' | 'returnedBy' | 'payments'>> {
  const payments = await paymentsOf(billing, invoice.id);
  let [refunded, disputed] = [0, 0];
  for (const { charge } of payments) {
    if (!charge) continue;
    refunded += charge.amount_refunded;
    if (charge.disputed) disputed += await heldByBanks(billing, charge.id);
  }
  const credited = Math.max(refunded, invoice.post_payment_credit_notes_amount);
  return {
    returned: credited + disputed,
    returnedBy: disputed > 0 ? 'dispute' : credited > 0 ? 'refund' : null,
    payments: payments.flatMap(({ intent }) => (intent?.status === 'succeeded' ? intent.id : [])),
  };
}

/**
 * The dispute statuses in which the bank holds the money. An inquiry only asks, and a won dispute has
 * returned it; a status added to Stripe later takes nothing.
 */
const heldIn: Partial<Record<Stripe.Dispute.Status, true>> = {
  needs_response: true,
  under_review: true,
  appeal_needs_response: true,
  appeal_under_review: true,
  lost: true,
};

export const takesMoney = ({ status }: Pick<Stripe.Dispute, 'status'>): boolean => heldIn[status] ?? false;

/** Returns how much of a charge banks hold in disputes. */
export async function heldByBanks({ stripe }: Billing, charge: string): Promise<number> {
  const { data } = await stripe.disputes.list({ charge, limit: 100 });
  return data.filter(takesMoney).reduce((sum, { amount }) => sum + amount, 0);
}

/**
 * Returns whether the payment of an invoice is still to come, under way or has failed, and when it failed
 * first.
 */
async function collectionOf(
  billing: Billing,
  invoice: Stripe.Invoice,
): Promise<Pick<InvoiceFacts, 'collection' | 'failedAtMs'>> {
  const createdAtMs = invoice.created * second;
  // One that Stripe will not collect any more has not been paid from the beginning.
  if (invoice.status === 'draft')
    return invoice.auto_advance
      ? { collection: 'pending', failedAtMs: null }
      : { collection: 'failed', failedAtMs: createdAtMs };
  const failedMs = await firstFailureOf(billing.db, invoice.id);
  if (failedMs !== null) return { collection: 'failed', failedAtMs: failedMs };
  const payments = await paymentsOf(billing, invoice.id);
  for (const { intent } of payments) {
    const failedAtMs = intent && (await failedChargeOf(billing, intent.id));
    if (failedAtMs) return { collection: 'failed', failedAtMs };
  }
  const isUnderWay = payments.some(({ intent }) => intent?.status === 'processing');
  const hasFailed = invoice.status === 'uncollectible' || (invoice.attempted && !isUnderWay);
  return { collection: isUnderWay ? 'underWay' : hasFailed ? 'failed' : 'pending', failedAtMs: null };
}

/**
 * Returns when a card was first declined: a charge to a card fails as it is made, one to a bank account days
 * later.
 */
async function failedChargeOf({ stripe }: Billing, payment_intent: string): Promise<number | null> {
  const { data } = await stripe.charges.list({ payment_intent, limit: 100 });
  const failed = data.filter(
    ({ status, payment_method_details: method }) => status === 'failed' && method?.type === 'card',
  );
  return failed.length > 0 ? Math.min(...failed.map(({ created }) => created)) * second : null;
}
