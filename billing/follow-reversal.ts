import type Stripe from 'stripe';
import { done, type Outcome } from '#domain/kernel/outcome.ts';
import { queueMail } from '#domain/outbox/queue-mail.ts';
import { markHandled, type StripeEvent } from '#domain/subscription/event-inbox.ts';
import { findUserOf } from '#domain/subscription/list-subscriptions.ts';
import { ask, type Billing, type StripeCode } from './billing.ts';
import { fetchSubscriptions } from './fetch-subscriptions.ts';
import { takesMoney } from './read-paid.ts';

const isDispute = (type: string): boolean => type.startsWith('charge.dispute.');
const idOf = (object: string | { id: string }): string => (typeof object === 'string' ? object : object.id);

/**
 * Follows an event about money that was returned, requested back, or won back; such events name no customer
 * themselves. The fetch decides its meaning. The operator is notified of an inquiry, once, because it takes
 * nothing. Returns whether that handles the event.
 */
export async function followReversal(
  billing: Billing,
  event: StripeEvent,
): Promise<Outcome<{ isHandled: boolean }, StripeCode>> {
  const { stripe, db } = billing;
  const { type, objectId } = event;
  if (objectId === null || !isDispute(type)) return done({ isHandled: false });
  const found = await ask(billing, 'read a disputed payment', async () => {
    const dispute = await stripe.disputes.retrieve(objectId);
    const { customer } = await stripe.charges.retrieve(idOf(dispute.charge));
    return { dispute, customer: customer && idOf(customer) };
  });
  if (!found.ok) return found;
  const { dispute, customer } = found.value;
  if (!customer || (await findUserOf(db, customer)) === null) return done({ isHandled: false });
  const fetched = await fetchSubscriptions(billing, customer);
  if (!fetched.ok) return fetched;
  if (type !== 'charge.dispute.created' || takesMoney(dispute)) return done({ isHandled: false });
  await notifyOfInquiry(billing, event.id, { customer, charge: idOf(dispute.charge) });
  return done({ isHandled: true });
}

/** Queues the mail together with the mark that the event was handled: it is sent once. */
async function notifyOfInquiry(
  { db, operatorEmail, now, log }: Billing,
  eventId: string,
  { customer, charge }: { customer: string; charge: string },
): Promise<void> {
  log.warn({ customer, charge }, 'a bank asks about a payment; nothing was taken');
  await db.transaction(async (tx) => {
    if (!(await markHandled(tx, eventId, Date.now())) || !operatorEmail) return;
    const values = { why: 'inquiry', customer, subscription: charge } as const;
    await queueMail(
      tx,
      { recipient: operatorEmail, locale: 'en', template: 'paymentReversed', values },
      now(),
    );
  });
}

/** The types of events that tell of money that went back, and may come again. */
export const reversalTypes = [
  'charge.dispute.created',
  'charge.dispute.updated',
  'charge.dispute.closed',
  'charge.refunded',
] as const satisfies readonly Stripe.Event['type'][];
