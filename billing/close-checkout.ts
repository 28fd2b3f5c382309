import { done, type Outcome } from '#domain/kernel/outcome.ts';
import { wantActs } from '#domain/subscription/billing-acts.ts';
import { type Checkout, expireCheckout } from '#domain/subscription/open-checkout.ts';
import { ask, type Billing, type StripeCode } from './billing.ts';
import { carryOut } from './carry-out.ts';
import { fetchSubscriptions } from './fetch-subscriptions.ts';

/** Has Stripe close a checkout page, unless it was paid on or has run out. */
export async function expireAtStripe(
  billing: Billing,
  { userId, sessionId }: { userId: string; sessionId: string },
): Promise<Outcome<object, StripeCode>> {
  const act = { kind: 'expire', subjectId: sessionId } as const;
  await billing.db.transaction((tx) => wantActs(tx, userId, [act], billing.now()));
  return carryOut(billing, act);
}

/**
 * Closes an open checkout, so that nobody can pay on it any more. One that was paid in the meantime is
 * fetched instead, so that no purchase is lost.
 */
export async function closeCheckout(
  billing: Billing,
  checkout: Checkout,
  customerId: string,
): Promise<Outcome<object, StripeCode>> {
  const { stripe, db } = billing;
  const { sessionId } = checkout;
  // No session is known: one that Stripe may have made cannot be reached by anybody, and runs out by itself.
  if (!sessionId) {
    await expireCheckout(db, checkout.id);
    return done({});
  }
  const closed = await expireAtStripe(billing, { userId: checkout.userId, sessionId });
  if (!closed.ok) return closed;
  const session = await ask(billing, 'read a checkout', () => stripe.checkout.sessions.retrieve(sessionId));
  if (!session.ok) return session;
  if (session.value.status === 'complete') {
    const fetched = await fetchSubscriptions(billing, customerId);
    if (!fetched.ok) return fetched;
  }
  await expireCheckout(db, checkout.id);
  return done({});
}
