import { alarmOperator } from '#domain/outbox/alarm-operator.ts';
import { done, type Outcome, refuse } from '#domain/outcome.ts';
import { pruneEvents } from '#domain/subscription/event-inbox.ts';
import { listOverdue } from '#domain/subscription/find-subscription.ts';
import { findUserOf } from '#domain/subscription/list-subscriptions.ts';
import { expireCheckout, listCheckoutsToClose } from '#domain/subscription/open-checkout.ts';
import { pruneCheckouts } from '#domain/subscription/prune-checkouts.ts';
import { deferCustomer, findCustomerId, listCustomersToFetch } from '#domain/subscription/stripe-customer.ts';
import type { Billing, StripeCode } from './billing.ts';
import { fetchSubscriptions } from './fetch-subscriptions.ts';
import { recoverEvents } from './handle-events.ts';
import { cancelNow } from './refund-subscription.ts';
import { closeCheckout } from './start-checkout.ts';
import { updateCustomer } from './update-customer.ts';

const BATCH = 100;

/**
 * What no webhook brings: ends subscriptions whose grace period is over, closes checkouts that ran out, stores events that
 * were lost, and fetches whoever pays once a day. What cannot be done for one customer, whyever, holds up nobody else:
 * it is tried again after a pause. Stops once Stripe has answered about nobody for a while.
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

/** So many customers in a row about whom Stripe did not answer mean that it answers about nobody. */
const MAX_SILENCES = 3;

/** The customers of a step, one after the other. A turn is false once Stripe seems to answer about nobody. */
function openTurns(billing: Billing) {
  let silences = 0;
  return {
    async take(customerId: string, work: () => Promise<Outcome<object, StripeCode>>): Promise<boolean> {
      const outcome = await work().catch((error: unknown) => {
        billing.log.error({ err: error, customerId }, 'a customer could not be worked on');
        return refuse('failed');
      });
      silences = !outcome.ok && outcome.code === 'unavailable' ? silences + 1 : 0;
      if (outcome.ok) return true;
      await putOff(billing, customerId, outcome.code);
      return silences < MAX_SILENCES;
    },
  };
}

/** The operator is told when it begins, and not again before the customer could be worked on. */
async function putOff(billing: Billing, customerId: string, code: StripeCode | 'failed'): Promise<void> {
  const { database, operatorEmail, now } = billing;
  const failures = await deferCustomer(database, customerId, { nowMs: now() });
  if (failures !== 1 || code === 'unavailable' || operatorEmail === null) return;
  const values = { customer: customerId };
  const mail = { recipient: operatorEmail, locale: 'en', template: 'customerFailed', values } as const;
  await alarmOperator(database, { key: `customer: ${customerId}`, mail }, now());
}

async function endOverdue(billing: Billing, signal: AbortSignal): Promise<boolean> {
  const turns = openTurns(billing);
  for (const { id, customerId } of await listOverdue(billing.database, billing.now(), BATCH)) {
    if (signal.aborted) return false;
    if (customerId && !(await turns.take(customerId, () => endUnpaid(billing, id, customerId)))) return false;
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
  const turns = openTurns(billing);
  const asked = { nowMs: billing.now(), limit: BATCH };
  for (const checkout of await listCheckoutsToClose(billing.database, asked)) {
    if (signal.aborted) return false;
    const customerId = await findCustomerId(billing.database.read, checkout.userId);
    if (!customerId) await expireCheckout(billing.database, checkout.id);
    else if (!(await turns.take(customerId, () => closeCheckout(billing, checkout, customerId))))
      return false;
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
  const turns = openTurns(billing);
  for (;;) {
    const customers = await listCustomersToFetch(billing.database, { limit: BATCH }, billing.now());
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
  const userId = await findUserOf(billing.database, customerId);
  const updated = userId ? await updateCustomer(billing, { userId, customerId }) : done({});
  return isUnavailable(updated) ? updated : done({});
}
