import { done, type Outcome, refuse } from '#domain/kernel/outcome.ts';
import { expireCheckout, findCheckout } from '#domain/subscription/open-checkout.ts';
import { findCustomerId } from '#domain/subscription/stripe-customer.ts';
import { ask, type Billing, type StripeCode } from './billing.ts';
import { fetchSubscriptions } from './fetch-subscriptions.ts';

/** The state of a checkout when its buyer returns. */
export type CheckoutEnd = 'subscribed' | 'processing' | 'open' | 'expired';

/**
 * Finishes a checkout when its buyer comes back, without waiting for a webhook. Only their own one: the address with the
 * session's id may have been passed on.
 */
export async function finishCheckout(
  billing: Billing,
  { userId, sessionId }: { userId: string; sessionId: string },
): Promise<Outcome<{ end: CheckoutEnd }, StripeCode | 'notFound'>> {
  const checkout = await findCheckout(billing.db, { userId, sessionId });
  const customerId = await findCustomerId(billing.db.read, userId);
  if (!checkout || !customerId) return refuse('notFound');
  const session = await ask(billing, 'read a checkout', () =>
    billing.stripe.checkout.sessions.retrieve(sessionId),
  );
  if (!session.ok) return session;
  const { status, payment_status: payment } = session.value;
  if (status === 'expired') {
    await expireCheckout(billing.db, checkout.id);
    return done({ end: 'expired' });
  }
  if (status !== 'complete') return done({ end: 'open' });
  const fetched = await fetchSubscriptions(billing, customerId);
  if (!fetched.ok) return fetched;
  return done({ end: payment === 'unpaid' ? 'processing' : 'subscribed' });
}
