import { done, type Outcome } from '#domain/outcome.ts';
import { pruneEvents } from '#domain/subscription/event-inbox.ts';
import { listOverdue } from '#domain/subscription/find-subscription.ts';
import { findUserOf } from '#domain/subscription/list-subscriptions.ts';
import { expireCheckout, listCheckoutsToClose } from '#domain/subscription/open-checkout.ts';
import { pruneCheckouts } from '#domain/subscription/prune-checkouts.ts';
import { deferFetch, findCustomerId, listCustomersToFetch } from '#domain/subscription/stripe-customer.ts';
import type { Billing, StripeCode } from './billing.ts';
import { fetchSubscriptions } from './fetch-subscriptions.ts';
import { recoverEvents } from './handle-events.ts';
import { cancelNow } from './refund-subscription.ts';
import { closeCheckout } from './start-checkout.ts';
import { updateCustomer } from './update-customer.ts';

const BATCH = 100;

/**
 * What no webhook brings: ends subscriptions whose grace period is over, closes checkouts that ran out, stores events that
 * were lost, and fetches whoever pays once a day. Stops at the first thing that Stripe does not answer; what it refuses
 * for one customer holds up nobody else.
 */
export async function runRound(billing: Billing, signal: AbortSignal): Promise<boolean> {
  for (const step of [endOverdue, closeStale, recoverLost, fetchOld])
    if (signal.aborted || !(await step(billing, signal))) return false;
  await pruneEvents(billing.database, Date.now());
  await pruneCheckouts(billing.database, billing.now());
  return true;
}

const isUnavailable = (outcome: Outcome<object, StripeCode>): boolean =>
  !outcome.ok && outcome.code === 'unavailable';

async function endOverdue(billing: Billing, signal: AbortSignal): Promise<boolean> {
  for (const { id, customerId } of await listOverdue(billing.database, billing.now(), BATCH)) {
    if (signal.aborted) return false;
    if (customerId && isUnavailable(await endUnpaid(billing, id, customerId))) return false;
  }
  return true;
}

/** Fetched first: the payment may have come in the meantime. */
async function endUnpaid(
  billing: Billing,
  id: string,
  customerId: string,
): Promise<Outcome<object, StripeCode>> {
  const fetched = await fetchSubscriptions(billing, customerId);
  if (!fetched.ok) return fetched;
  const still = await listOverdue(billing.database, billing.now(), BATCH);
  if (!still.some((each) => each.id === id)) return done({});
  const cancelled = await cancelNow(billing, id);
  return cancelled.ok ? fetchSubscriptions(billing, customerId) : cancelled;
}

async function closeStale(billing: Billing, signal: AbortSignal): Promise<boolean> {
  const asked = { nowMs: billing.now(), limit: BATCH };
  for (const checkout of await listCheckoutsToClose(billing.database, asked)) {
    if (signal.aborted) return false;
    const customerId = await findCustomerId(billing.database.read, checkout.userId);
    if (!customerId) await expireCheckout(billing.database, checkout.id);
    else if (isUnavailable(await closeCheckout(billing, checkout, customerId))) return false;
  }
  return true;
}

/** A key that may not read events gets none back; the daily fetch brings what they would have been about. */
async function recoverLost(billing: Billing): Promise<boolean> {
  const recovered = await recoverEvents(billing);
  if (!recovered.ok) return !isUnavailable(recovered);
  const { missing } = recovered;
  if (missing > 0) billing.log.warn({ missing }, 'stored events that no webhook had brought');
  return true;
}

async function fetchOld(billing: Billing, signal: AbortSignal): Promise<boolean> {
  for (;;) {
    const customers = await listCustomersToFetch(billing.database, { limit: BATCH }, billing.now());
    if (customers.length === 0) return true;
    for (const customerId of customers) {
      if (signal.aborted) return false;
      const fetched = await fetchSubscriptions(billing, customerId);
      if (isUnavailable(fetched)) return false;
      if (!fetched.ok) await deferFetch(billing.database, customerId, billing.now());
      const userId = fetched.ok ? await findUserOf(billing.database, customerId) : null;
      if (userId && isUnavailable(await updateCustomer(billing, { userId, customerId }))) return false;
    }
  }
}
