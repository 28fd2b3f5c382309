import type Stripe from 'stripe';
import { done, type Outcome, refuse } from '#domain/kernel/outcome.ts';
import { day, second } from '#domain/kernel/time.ts';
import type { Plan } from '#domain/plan/plans.ts';
import { ask, type Billing, isMissing, type StripeCode } from './billing.ts';
import { heldByBanks, planOfLine } from './read-paid.ts';

/**
 * States of a charge. `underWay`: a debit that the bank has not answered yet. `due`: it will be charged, or waits for
 * the customer. `notCharged`: it will not be. `nothingDue`: a trial, or something that a discount or a credit paid for.
 */
export const chargeStates = [
  'paid',
  'partlyRefunded',
  'refunded',
  'disputed',
  'underWay',
  'failed',
  'due',
  'notCharged',
  'nothingDue',
  'credited',
] as const;
export type ChargeState = (typeof chargeStates)[number];

/** Something that a charge is for. */
export interface Bought {
  /** Null: it is none of our plans. */
  plan: Plan | null;
  /** Stripe's description, or the operator's. */
  text: string;
  startMs: number;
  endMs: number;
  /** The rest of a period, after a change of plan. */
  isRest: boolean;
}

/** An invoice, as its customer sees it. */
export interface ListedCharge {
  id: string;
  atMs: number;
  /** In minor units, with tax; negative if it was credited. */
  amount: number;
  refunded: number;
  currency: string;
  state: ChargeState;
  bought: Bought[];
  /** True if it is for more than is listed here. */
  hasMore: boolean;
  /** Stripe's page of the invoice, with its receipt. Such a link expires, so it is read anew. */
  url: string | null;
}

/** Somebody waits for the page, which then goes on without the list. System time. */
const DEADLINE_MS = 6 * second;
const hurried = { timeout: 2500, maxNetworkRetries: 1 } as const;
/** Charges that are looked at for a page of invoices: of each also the attempts that failed. */
const MAX_CHARGES = 300;
/** An invoice may have another charge in the list for this long after its last payment. */
const SPREAD_SECONDS = day / second;

interface Asked {
  customerId: string;
  /** The last invoice of the previous page; null for the newest charges. */
  after: string | null;
  size: number;
}

/**
 * Reads a page of a customer's charges from Stripe, newest first. They are not stored, because refunds and
 * disputes of years ago would have to be followed, and the links to Stripe's pages expire. A page costs two
 * requests, and one more for each disputed charge.
 */
export async function listCharges(
  billing: Billing,
  asked: Asked,
): Promise<Outcome<{ charges: ListedCharge[]; hasMore: boolean }, StripeCode | 'noSuchPage'>> {
  const read = ask(billing, 'list charges', async () => {
    try {
      return await readPage(billing, asked);
    } catch (error) {
      if (isMissing(error) && (error as { param?: unknown }).param === 'starting_after') return null;
      throw error;
    }
  });
  const page = await beforeDeadline(read);
  if (!page.ok) return page;
  return page.value === null ? refuse('noSuchPage') : done(page.value);
}

async function beforeDeadline<T>(
  read: Promise<Outcome<{ value: T }, StripeCode>>,
): Promise<Outcome<{ value: T }, StripeCode>> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Outcome<never, StripeCode>>((resolve) => {
    timer = setTimeout(() => resolve(refuse('unavailable')), DEADLINE_MS);
  });
  try {
    return await Promise.race([read, late]);
  } finally {
    clearTimeout(timer);
  }
}

async function readPage(billing: Billing, { customerId: customer, after, size }: Asked) {
  const { stripe } = billing;
  const { data: invoices, has_more: hasMore } = await stripe.invoices.list(
    { customer, limit: size, expand: ['data.payments'], ...(after && { starting_after: after }) },
    hurried,
  );
  const charges = await chargesOf(billing, customer, invoices);
  const listed: ListedCharge[] = [];
  for (const invoice of invoices) listed.push(await listedOf(billing, invoice, charges));
  return { charges: listed, hasMore };
}

/** The charges for some invoices, by their payment intents: invoices do not name their charges. */
async function chargesOf(
  { stripe }: Billing,
  customer: string,
  invoices: readonly Stripe.Invoice[],
): Promise<Map<string, Stripe.Charge[]>> {
  const byIntent = new Map<string, Stripe.Charge[]>();
  const charged = invoices.filter(({ amount_due: due }) => due > 0);
  if (charged.length === 0) return byIntent;
  const isSettled = charged.every(({ status }) => status === 'paid');
  const lastPaid = Math.max(...charged.map((each) => each.status_transitions.paid_at ?? each.created));
  const created = {
    gte: Math.min(...charged.map((invoice) => invoice.created)),
    ...(isSettled && { lte: lastPaid + SPREAD_SECONDS }),
  };
  const found = await stripe.charges
    .list({ customer, created, limit: 100 }, hurried)
    .autoPagingToArray({ limit: MAX_CHARGES });
  for (const charge of found) {
    const intent = idOf(charge.payment_intent);
    if (intent) byIntent.set(intent, [...(byIntent.get(intent) ?? []), charge]);
  }
  return byIntent;
}

const idOf = (object: string | { id: string } | null | undefined): string | null =>
  typeof object === 'object' ? (object?.id ?? null) : (object ?? null);

async function listedOf(
  billing: Billing,
  invoice: Stripe.Invoice,
  byIntent: ReadonlyMap<string, Stripe.Charge[]>,
): Promise<ListedCharge> {
  const { id, created, currency, amount_due: due, total, lines } = invoice;
  const intents = (invoice.payments?.data ?? []).flatMap(({ payment }) => idOf(payment.payment_intent) ?? []);
  const charges = intents.flatMap((intent) => byIntent.get(intent) ?? []);
  const refunded = Math.max(
    charges.reduce((sum, charge) => sum + charge.amount_refunded, 0),
    invoice.post_payment_credit_notes_amount,
  );
  const bought: Bought[] = [];
  // The credit of a change of plan is no purchase.
  for (const line of lines.data.filter(({ amount }) => amount >= 0))
    bought.push(await boughtBy(billing, line));
  return {
    id,
    atMs: created * second,
    amount: total < 0 ? total : due,
    refunded,
    currency,
    state: await stateOf(billing, invoice, { charges, refunded }),
    bought,
    hasMore: lines.has_more,
    url: invoice.hosted_invoice_url ?? charges.at(0)?.receipt_url ?? null,
  };
}

async function boughtBy(billing: Billing, line: Stripe.InvoiceLineItem): Promise<Bought> {
  const plan = await planOfLine(billing, line);
  const parent = line.parent?.subscription_item_details ?? line.parent?.invoice_item_details;
  return {
    plan,
    text: line.description ?? '',
    startMs: line.period.start * second,
    endMs: line.period.end * second,
    isRest: plan !== null && (parent?.proration ?? false),
  };
}

async function stateOf(
  billing: Billing,
  invoice: Stripe.Invoice,
  { charges, refunded }: { charges: readonly Stripe.Charge[]; refunded: number },
): Promise<ChargeState> {
  const { status, total, amount_due: due } = invoice;
  if (status === 'paid') {
    for (const charge of charges)
      if (charge.disputed && (await heldByBanks(billing, charge.id)) > 0) return 'disputed';
    if (total < 0) return 'credited';
    if (due === 0) return 'nothingDue';
    if (refunded >= due) return 'refunded';
    return refunded > 0 ? 'partlyRefunded' : 'paid';
  }
  if (status === 'void' || (status === 'draft' && !invoice.auto_advance)) return 'notCharged';
  if (charges.some((charge) => charge.status === 'pending')) return 'underWay';
  if (charges.some((charge) => charge.status === 'failed')) return 'failed';
  // One that the account's owner has given up, or that a pause holds back.
  return status === 'uncollectible' ? 'notCharged' : 'due';
}
