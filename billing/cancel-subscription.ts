import type { Product } from '#db/schema/billing.ts';
import { done, type Outcome, refuse } from '#domain/kernel/outcome.ts';
import { cancelAll, decideCancel } from '#domain/subscription/cancelling.ts';
import { findSubscription } from '#domain/subscription/find-subscription.ts';
import { listOpenCheckouts } from '#domain/subscription/open-checkout.ts';
import { findCustomerId } from '#domain/subscription/stripe-customer.ts';
import { ask, type Billing, type StripeCode } from './billing.ts';
import { carryOut } from './carry-out.ts';
import { closeCheckout } from './close-checkout.ts';
import { fetchAfterwards, fetchSubscriptions } from './fetch-subscriptions.ts';
import { releaseSchedule } from './release-schedule.ts';

interface Asked {
  userId: string;
  product: Product;
  requestId: string;
}

/** Reads the stored subscription, and its customer, by whom it is fetched afterwards. */
async function subscriptionOf({ db }: Billing, { userId, product }: Asked) {
  const current = await findSubscription(db.read, { userId, product });
  const customerId = await findCustomerId(db.read, userId);
  return current && customerId ? { current, customerId } : null;
}

/**
 * Cancels a subscription: it goes on until the end of the paid time. If the present period is not paid for,
 * it ends at once; Stripe is asked first, in case the payment has just come.
 */
export async function cancelSubscription(
  billing: Billing,
  asked: Asked,
): Promise<Outcome<object, StripeCode | 'notSubscribed'>> {
  const stored = await subscriptionOf(billing, asked);
  if (!stored) return refuse('notSubscribed');
  const { customerId } = stored;
  const fetched = await fetchSubscriptions(billing, customerId);
  if (!fetched.ok) return fetched;
  const decided = await decideCancel(billing.db, asked, billing.now());
  if (!decided) return done({});
  const { id: subjectId, isAtOnce } = decided;
  const cancelled = isAtOnce
    ? await carryOut(billing, { kind: 'cancel', subjectId })
    : await cancelLater(billing, subjectId, asked);
  if (!cancelled.ok) return cancelled;
  await fetchAfterwards(billing, customerId);
  return done({});
}

async function cancelLater(
  billing: Billing,
  id: string,
  { userId, requestId }: Asked,
): Promise<Outcome<object, StripeCode>> {
  const released = await releaseSchedule(billing, { userId, id });
  if (!released.ok) return released;
  const { stripe } = billing;
  const ending = { cancel_at_period_end: true };
  return ask(billing, 'cancel at the end of the period', async () => {
    await stripe.subscriptions.update(id, ending, { idempotencyKey: `end-${requestId}` });
    // A key that was used before only repeats its answer, although the cancellation was taken back since.
    const { cancel_at_period_end: isEnding } = await stripe.subscriptions.retrieve(id);
    return isEnding || stripe.subscriptions.update(id, ending);
  });
}

/** Keeps a subscription that was cancelled, here or in the portal, or takes back a smaller plan that was to begin later. */
export async function resumeSubscription(
  billing: Billing,
  asked: Asked,
): Promise<Outcome<object, StripeCode | 'notSubscribed'>> {
  const found = await subscriptionOf(billing, asked);
  if (!found) return refuse('notSubscribed');
  const { current, customerId } = found;
  const released = await releaseSchedule(billing, current);
  if (!released.ok) return released;
  const resumed = await ask(billing, 'keep a subscription', async () => {
    const { stripe } = billing;
    const { cancel_at: cancelAt, cancel_at_period_end: atPeriodEnd } = await stripe.subscriptions.retrieve(
      current.id,
    );
    const key = { idempotencyKey: `keep-${asked.requestId}` };
    // Stripe refuses both in one request.
    if (atPeriodEnd) await stripe.subscriptions.update(current.id, { cancel_at_period_end: false }, key);
    else if (cancelAt !== null) await stripe.subscriptions.update(current.id, { cancel_at: '' }, key);
    return done({});
  });
  if (!resumed.ok) return resumed;
  await fetchAfterwards(billing, customerId);
  return done({});
}

/**
 * Ends everything that could still charge a user, for an account that is about to be deleted: open checkouts close, and
 * subscriptions are cancelled at once. Succeeds only when Stripe has confirmed all of it.
 */
export async function endAllBilling(billing: Billing, userId: string): Promise<Outcome<object, StripeCode>> {
  const customerId = await findCustomerId(billing.db.read, userId);
  if (!customerId) return done({});
  for (const checkout of await listOpenCheckouts(billing.db, userId)) {
    const closed = await closeCheckout(billing, checkout, customerId);
    if (!closed.ok) return closed;
  }
  const fetched = await fetchSubscriptions(billing, customerId);
  if (!fetched.ok) return fetched;
  for (const act of await cancelAll(billing.db, userId, billing.now())) {
    const cancelled = await carryOut(billing, act);
    if (!cancelled.ok) return cancelled;
  }
  return fetchSubscriptions(billing, customerId);
}
