import { done, type Outcome } from '#domain/kernel/outcome.ts';
import { pruneActs } from '#domain/subscription/billing-acts.ts';
import { cancelOverdue } from '#domain/subscription/cancelling.ts';
import { pruneEvents } from '#domain/subscription/event-inbox.ts';
import { listOverdue } from '#domain/subscription/find-subscription.ts';
import { findUserOf } from '#domain/subscription/list-subscriptions.ts';
import { expireCheckout, listCheckoutsToClose } from '#domain/subscription/open-checkout.ts';
import { pruneCheckouts } from '#domain/subscription/prune-checkouts.ts';
import { findCustomerId, listCustomersToFetch } from '#domain/subscription/stripe-customer.ts';
import type { Billing, StripeCode } from './billing.ts';
import { carryOut } from './carry-out.ts';
import { closeCheckout } from './close-checkout.ts';
import { fetchSubscriptions } from './fetch-subscriptions.ts';
import { recoverEvents } from './handle-events.ts';
import { resumeActs } from './resume-acts.ts';
import { openTurns } from './turns.ts';
import { updateCustomer } from './update-customer.ts';

const BATCH = 100;

/**
 * Does the work that no webhook starts: repeats acts that Stripe has not carried out, ends subscriptions
 * whose grace period is over, closes checkouts that ran out, stores events that were lost, and fetches each
 * paying customer once a day. A failure for one customer delays nobody else; it is retried after a pause.
 * Stops once Stripe has answered about nobody for a while.
 */
export async function runRound(billing: Billing, signal: AbortSignal): Promise<boolean> {
  for (const step of [resumeActs, endOverdue, closeStale, recoverLost, fetchOld])
    if (signal.aborted || !(await step(billing, signal))) return false;
  await pruneEvents(billing.db, Date.now());
  await pruneCheckouts(billing.db, billing.now());
  await pruneActs(billing.db, billing.now());
  return true;
}

const isUnavailable = (outcome: Outcome<object, StripeCode>): boolean =>
  !outcome.ok && outcome.code === 'unavailable';

async function endOverdue(billing: Billing, signal: AbortSignal): Promise<boolean> {
  const turns = openTurns(billing);
  for (const { id, userId, customerId } of await listOverdue(billing.db, billing.now(), BATCH)) {
    if (signal.aborted) return false;
    if (!customerId) continue;
    if (!(await turns.take(customerId, () => endUnpaid(billing, { id, userId }, customerId)))) return false;
  }
  return true;
}

/** Fetched first: the payment may have come in the meantime. */
async function endUnpaid(
  billing: Billing,
  overdue: { id: string; userId: string },
  customerId: string,
): Promise<Outcome<object, StripeCode>> {
  const fetched = await fetchSubscriptions(billing, customerId);
  if (!fetched.ok) return fetched;
  if (!(await cancelOverdue(billing.db, overdue, billing.now()))) return done({});
  const cancelled = await carryOut(billing, { kind: 'cancel', subjectId: overdue.id });
  return cancelled.ok ? fetchSubscriptions(billing, customerId) : cancelled;
}

async function closeStale(billing: Billing, signal: AbortSignal): Promise<boolean> {
  const turns = openTurns(billing);
  const asked = { nowMs: billing.now(), limit: BATCH };
  for (const checkout of await listCheckoutsToClose(billing.db, asked)) {
    if (signal.aborted) return false;
    const customerId = await findCustomerId(billing.db.read, checkout.userId);
    if (!customerId) await expireCheckout(billing.db, checkout.id);
    else if (!(await turns.take(customerId, () => closeCheckout(billing, checkout, customerId))))
      return false;
  }
  return true;
}

/** A key without the right to read events recovers none; the daily fetch then brings their changes. */
async function recoverLost(billing: Billing): Promise<boolean> {
  const recovered = await recoverEvents(billing);
  if (!recovered.ok) return !isUnavailable(recovered);
  const { late } = recovered;
  if (late > 0) billing.log.warn({ late }, 'stored events that no webhook had brought');
  return true;
}

async function fetchOld(billing: Billing, signal: AbortSignal): Promise<boolean> {
  const turns = openTurns(billing);
  for (;;) {
    const customers = await listCustomersToFetch(billing.db, { limit: BATCH }, billing.now());
    if (customers.length === 0) return true;
    for (const customerId of customers) {
      if (signal.aborted) return false;
      if (!(await turns.take(customerId, () => fetchDaily(billing, customerId)))) return false;
    }
  }
}

/** Brings both sides up to date. What Stripe refuses to take of a customer's name is no reason to put them off. */
async function fetchDaily(billing: Billing, customerId: string): Promise<Outcome<object, StripeCode>> {
  const fetched = await fetchSubscriptions(billing, customerId);
  if (!fetched.ok) return fetched;
  const userId = await findUserOf(billing.db, customerId);
  const updated = userId ? await updateCustomer(billing, { userId, customerId }) : done({});
  return isUnavailable(updated) ? updated : done({});
}
