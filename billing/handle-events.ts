import type Stripe from 'stripe';
import { done, type Outcome } from '#domain/kernel/outcome.ts';
import { minute } from '#domain/kernel/time.ts';
import {
  deferEvent,
  listEventsDue,
  markHandled,
  receiveEvents,
  type StripeEvent,
} from '#domain/subscription/event-inbox.ts';
import { expireSession } from '#domain/subscription/open-checkout.ts';
import { ask, type Billing, type StripeCode } from './billing.ts';
import { fetchSubscriptions } from './fetch-subscriptions.ts';
import { followReversal, reversalTypes } from './follow-reversal.ts';
import { eventRow } from './receive-webhook.ts';

const BATCH = 200;

/**
 * Handles the events that wait: one fetch for each customer, however many events name them. What Stripe does not answer
 * now is tried again later. Returns how many were handled.
 */
export async function handleEvents(billing: Billing, signal: AbortSignal): Promise<number> {
  let handled = 0;
  while (!signal.aborted) {
    const due = await listEventsDue(billing.db, Date.now(), BATCH);
    if (due.length === 0) return handled;
    const fetched = new Map<string, boolean>();
    for (const event of due) {
      if (signal.aborted) return handled;
      if (await handleSafely(billing, event, fetched)) handled++;
      else await deferEvent(billing.db, event, Date.now());
    }
  }
  return handled;
}

/** An error of ours must not hold up the events behind. */
async function handleSafely(
  billing: Billing,
  event: StripeEvent,
  fetched: Map<string, boolean>,
): Promise<boolean> {
  try {
    return await handleOne(billing, event, fetched);
  } catch (error) {
    billing.log.error({ err: error, event: event.id }, 'an event could not be handled');
    return false;
  }
}

async function handleOne(
  billing: Billing,
  event: StripeEvent,
  fetched: Map<string, boolean>,
): Promise<boolean> {
  const reversal = await followReversal(billing, event);
  if (!reversal.ok) return false;
  if (reversal.isHandled) return true;
  if (event.type === 'checkout.session.expired' && event.objectId)
    await expireSession(billing.db, event.objectId);
  const { customerId } = event;
  if (customerId && !fetched.get(customerId)) {
    const outcome = await fetchSubscriptions(billing, customerId);
    if (!outcome.ok) return false;
    // Stripe gets a success, because it would switch off an endpoint that refuses unknown events.
    if (!outcome.known) billing.log.info({ event: event.id, customerId }, 'an event of an unknown customer');
    fetched.set(customerId, true);
  }
  await billing.db.transaction((tx) => markHandled(tx, event.id, Date.now()));
  return true;
}

/** The event types that our endpoint subscribes to. */
export const eventTypes = [
  'checkout.session.completed',
  'checkout.session.expired',
  'customer.subscription.created',
  'customer.subscription.updated',
  'customer.subscription.deleted',
  'customer.subscription.trial_will_end',
  'invoice.paid',
  'invoice.payment_failed',
  ...reversalTypes,
] as const satisfies readonly Stripe.Event['type'][];

/** Events are read again as far back as this. */
const REPLAY_MS = 3 * 24 * 60 * 60_000;

/** A webhook may be on its way for as long. */
const ON_ITS_WAY_MS = minute;

/** Stores the events of the last days that no webhook brought. Returns how many of them are late. */
export async function recoverEvents(billing: Billing): Promise<Outcome<{ late: number }, StripeCode>> {
  const { stripe, db } = billing;
  const since = Math.floor((billing.now() - REPLAY_MS) / 1000);
  const listed = await ask(billing, 'list events', () =>
    stripe.events
      .list({ created: { gte: since }, types: [...eventTypes], limit: 100 })
      .autoPagingToArray({ limit: 10_000 }),
  );
  if (!listed.ok) return listed;
  const rows = listed.value.flatMap((event) => eventRow(event) ?? []);
  const missing = await receiveEvents(db, rows, Date.now());
  const lateUntil = Math.floor((billing.now() - ON_ITS_WAY_MS) / 1000);
  const late = listed.value.filter(({ id, created }) => missing.has(id) && created <= lateUntil);
  return done({ late: late.length });
}
