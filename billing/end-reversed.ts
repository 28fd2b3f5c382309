import type Stripe from 'stripe';
import { queueMail } from '#domain/outbox/queue-mail.ts';
import { done, type Outcome } from '#domain/outcome.ts';
import { markHandled, type StripeEvent } from '#domain/subscription/event-inbox.ts';
import { findUserOf } from '#domain/subscription/list-subscriptions.ts';
import { ask, type Billing, type StripeCode } from './billing.ts';
import { fetchSubscriptions } from './fetch-subscriptions.ts';
import { cancelNow, isSurplusRefund } from './refund-subscription.ts';
import { planOf } from './subscription-facts.ts';

/**
 * Ends the subscription whose payment was disputed, or paid back in full, and notifies the operator. Only one of ours:
 * other products of the same account are left alone. Refunds of what nobody may have twice notify nobody.
 */
export async function endReversed(
  billing: Billing,
  { id, type, objectId }: StripeEvent,
): Promise<Outcome<{ isReported: boolean }, StripeCode>> {
  const why = reversals[type];
  if (!why || objectId === null) return done({ isReported: false });
  const { stripe, database } = billing;
  const found = await ask(billing, 'read a reversed payment', async () => {
    const charge = await stripe.charges.retrieve(
      why === 'dispute' ? await chargeOf(stripe, objectId) : objectId,
    );
    const customer = charge.customer && idOf(charge.customer);
    if (!customer || (await findUserOf(database, customer)) === null) return null;
    if (why === 'refund' && (!charge.refunded || (await isSurplusRefund(stripe, charge.id)))) return null;
    const subscription = await subscriptionOf(stripe, charge);
    return subscription === null ? null : { customer, subscription };
  });
  if (!found.ok) return found;
  if (found.value === null) return done({ isReported: false });
  const { customer, subscription } = found.value;
  const cancelled = await cancelNow(billing, subscription);
  if (!cancelled.ok) return cancelled;
  const fetched = await fetchSubscriptions(billing, customer);
  if (!fetched.ok) return fetched;
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

/** The subscription to one of our plans that a charge paid for, through its payment and invoice; or null. */
async function subscriptionOf(
  stripe: Stripe,
  { payment_intent: intent }: Stripe.Charge,
): Promise<string | null> {
  if (intent === null) return null;
  const payments = await stripe.invoicePayments.list({
    payment: { type: 'payment_intent', payment_intent: idOf(intent) },
    limit: 1,
  });
  const invoiceId = payments.data[0]?.invoice;
  if (!invoiceId) return null;
  const { parent } = await stripe.invoices.retrieve(idOf(invoiceId));
  const subscription = parent?.subscription_details?.subscription;
  if (!subscription) return null;
  const { id, items } = await stripe.subscriptions.retrieve(idOf(subscription));
  return items.data.some(({ price }) => planOf(price) !== null) ? id : null;
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
