import type Stripe from 'stripe';
import { queueMail } from '#domain/outbox/queue-mail.ts';
import { done, type Outcome } from '#domain/outcome.ts';
import {
  listEventsDue,
  markHandled,
  postponeEvent,
  receiveEvent,
  type StripeEvent,
} from '#domain/subscription/event-inbox.ts';
import { expireSession } from '#domain/subscription/open-checkout.ts';
import { ask, type Billing, type StripeCode } from './billing.ts';
import { fetchSubscriptions } from './fetch-subscriptions.ts';
import { eventRow } from './receive-webhook.ts';
import { cancelNow } from './refund-subscription.ts';

const BATCH = 200;

/**
 * Handles the events that wait: one fetch for each customer, however many events name them. What Stripe does not answer
 * now is tried again later. Returns how many were handled.
 */
export async function handleEvents(billing: Billing, signal: AbortSignal): Promise<number> {
  let handled = 0;
  while (!signal.aborted) {
    const due = await listEventsDue(billing.database, Date.now(), BATCH);
    if (due.length === 0) return handled;
    const fetched = new Map<string, boolean>();
    for (const event of due) {
      if (signal.aborted) return handled;
      if (await handleOne(billing, event, fetched)) handled++;
      else await postponeEvent(billing.database, event, Date.now());
    }
  }
  return handled;
}

async function handleOne(
  billing: Billing,
  event: StripeEvent,
  fetched: Map<string, boolean>,
): Promise<boolean> {
  const reversed = await endReversed(billing, event);
  if (!reversed.ok) return false;
  if (reversed.isReported) return true;
  if (event.type === 'checkout.session.expired' && event.objectId)
    await expireSession(billing.database, event.objectId);
  const { customerId } = event;
  if (customerId && !fetched.get(customerId)) {
    const outcome = await fetchSubscriptions(billing, customerId);
    if (!outcome.ok) return false;
    // Stripe is told that all is well: it would switch off an endpoint that refuses what it does not know.
    if (!outcome.known) billing.log.info({ event: event.id, customerId }, 'an event of an unknown customer');
    fetched.set(customerId, true);
  }
  await billing.database.transaction((tx) => markHandled(tx, event.id, Date.now()));
  return true;
}

/**
 * Ends the subscription whose payment was disputed, or paid back in full, and notifies the operator. Refunds of our own,
 * of what nobody may keep, find it cancelled and notify nobody.
 */
async function endReversed(
  billing: Billing,
  { id, type, objectId }: StripeEvent,
): Promise<Outcome<{ isReported: boolean }, StripeCode>> {
  const why = reversals[type];
  if (!why || objectId === null) return done({ isReported: false });
  const { stripe } = billing;
  const found = await ask(billing, 'read a reversed payment', async () => {
    const charge = await stripe.charges.retrieve(
      why === 'dispute' ? await chargeOf(stripe, objectId) : objectId,
    );
    if (why === 'refund' && !charge.refunded) return null;
    return subscriptionOf(stripe, charge);
  });
  if (!found.ok) return found;
  if (found.value === null) return done({ isReported: false });
  const { customer, subscription, status } = found.value;
  const cancelled = await cancelNow(billing, subscription);
  if (!cancelled.ok) return cancelled;
  const fetched = await fetchSubscriptions(billing, customer);
  if (!fetched.ok) return fetched;
  if (!fetched.known || (why === 'refund' && status === 'canceled')) return done({ isReported: false });
  await notifyOperator(billing, id, { why, customer, subscription });
  return done({ isReported: true });
}

const reversals: Partial<Record<string, 'dispute' | 'refund'>> = {
  'charge.dispute.created': 'dispute',
  'charge.refunded': 'refund',
};

const idOf = (object: string | { id: string }): string => (typeof object === 'string' ? object : object.id);

async function chargeOf(stripe: Stripe, disputeId: string): Promise<string> {
  return idOf((await stripe.disputes.retrieve(disputeId)).charge);
}

/** The subscription that a charge paid for, through its payment and invoice; null for any other charge. */
async function subscriptionOf(stripe: Stripe, { payment_intent: intent, customer }: Stripe.Charge) {
  if (intent === null || customer === null) return null;
  const payments = await stripe.invoicePayments.list({
    payment: { type: 'payment_intent', payment_intent: idOf(intent) },
    limit: 1,
  });
  const invoiceId = payments.data[0]?.invoice;
  if (!invoiceId) return null;
  const { parent } = await stripe.invoices.retrieve(idOf(invoiceId));
  const subscription = parent?.subscription_details?.subscription;
  if (!subscription) return null;
  const { id, status } = await stripe.subscriptions.retrieve(idOf(subscription));
  return { customer: idOf(customer), subscription: id, status };
}

/** Queues the mail together with the mark that the event was handled: it is sent once. */
async function notifyOperator(
  { database, operatorEmail, now, log }: Billing,
  eventId: string,
  values: { why: 'dispute' | 'refund'; customer: string; subscription: string },
): Promise<void> {
  log.warn(values, 'a payment was reversed; its subscription was cancelled');
  await database.transaction(async (tx) => {
    if (!(await markHandled(tx, eventId, Date.now())) || !operatorEmail) return;
    const mail = { recipient: operatorEmail, locale: 'en', template: 'paymentReversed', values } as const;
    await queueMail(tx, mail, now());
  });
}

/** The types that our endpoint asks for. */
export const eventTypes = [
  'checkout.session.completed',
  'checkout.session.expired',
  'customer.subscription.created',
  'customer.subscription.updated',
  'customer.subscription.deleted',
  'invoice.paid',
  'invoice.payment_failed',
  'charge.dispute.created',
  'charge.refunded',
] as const satisfies readonly Stripe.Event['type'][];

/** How far back events are read again. */
const REPLAY_MS = 3 * 24 * 60 * 60_000;

/** Stores the events of the last days that no webhook brought. Returns how many were missing. */
export async function recoverEvents(billing: Billing): Promise<Outcome<{ missing: number }, StripeCode>> {
  const { stripe, database } = billing;
  const since = Math.floor((billing.now() - REPLAY_MS) / 1000);
  const listed = await ask(billing, 'list events', () =>
    stripe.events
      .list({ created: { gte: since }, types: [...eventTypes], limit: 100 })
      .autoPagingToArray({ limit: 10_000 }),
  );
  if (!listed.ok) return listed;
  let missing = 0;
  for (const event of listed.value) if (await receiveEvent(database, eventRow(event), Date.now())) missing++;
  return done({ missing });
}
