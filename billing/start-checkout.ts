import { createHash } from 'node:crypto';
import type Stripe from 'stripe';
import type { Locale } from '#db/schema/user.ts';
import { done, type Outcome, refuse } from '#domain/kernel/outcome.ts';
import { minute } from '#domain/kernel/time.ts';
import { type Plan, TRIAL_DAYS } from '#domain/plan/plans.ts';
import {
  type Checkout,
  expireCheckout,
  openCheckout,
  recordSession,
} from '#domain/subscription/open-checkout.ts';
import { clearCustomer, findCustomerId, recordCustomer } from '#domain/subscription/stripe-customer.ts';
import { ask, type Billing, isLiveKey, isMissing, type StripeCode } from './billing.ts';
import { closeCheckout, expireAtStripe } from './close-checkout.ts';
import { fetchSubscriptions } from './fetch-subscriptions.ts';
import { hasUnreadable } from './find-unreadable.ts';
import { paymentTypesOf } from './payment-types.ts';
import { priceIdOf } from './prices.ts';
import { updateCustomer } from './update-customer.ts';

interface Buyer {
  id: string;
  name: string;
  email: string;
  locale: Locale;
}

export type CheckoutRefusal =
  | StripeCode
  | 'alreadySubscribed'
  /**
   * Stripe keeps a customer to the currency of the first payment, and this instance now sells in another one.
   */
  | 'otherCurrency'
  /** Stripe has a subscription of theirs that cannot be read: it may be the one they want to buy. */
  | 'unreadable';

/** An earlier checkout of another plan, or one that ran out, is closed first: once, then again for a race. */
const MAX_ROUNDS = 3;
/** Under one key Stripe repeats its answer for a day, also a fault of its own; a key of ours lasts this long. */
const KEY_MS = 10 * minute;

/**
 * Sends a user to Stripe's checkout page. Repeating it leads to the same page; choosing another plan closes the page
 * that was open. The customer exists before the checkout, so that whatever happens there finds its user.
 */
export async function startCheckout(
  billing: Billing,
  { user, plan }: { user: Buyer; plan: Plan },
): Promise<Outcome<{ url: string }, CheckoutRefusal>> {
  const customer = await customerOf(billing, user);
  if (!customer.ok) return customer;
  const { customerId } = customer;
  const updated = await updateCustomer(billing, { userId: user.id, customerId });
  if (!updated.ok) return updated;
  const { currency } = updated;
  if (currency !== null && currency !== billing.settings.currency) return refuse('otherCurrency');
  const odd = await hasUnreadable(billing, customerId);
  if (!odd.ok) return odd;
  if (odd.isUnreadable) return refuse('unreadable');
  for (let round = 1; round <= MAX_ROUNDS; round++) {
    const opened = await openCheckout(billing.db, { userId: user.id, plan }, billing.now());
    if (opened.ok) {
      const session = await sessionOf(billing, { checkout: opened.checkout, customerId, user, plan });
      if (!session.ok) return session;
      if (session.value.status === 'open' && session.value.url) return done({ url: session.value.url });
      const closed = await closeCheckout(billing, opened.checkout, customerId);
      if (!closed.ok) return closed;
    } else if (opened.code === 'alreadySubscribed') return opened;
    else {
      const closed = await closeCheckout(billing, opened.other, customerId);
      if (!closed.ok) return closed;
    }
  }
  return refuse('unavailable');
}

async function customerOf(
  billing: Billing,
  { id: userId, name, email, locale }: Buyer,
): Promise<Outcome<{ customerId: string }, StripeCode>> {
  const known = await findCustomerId(billing.db.read, userId);
  const usable = known === null ? done({ isUsable: false }) : await isUsable(billing, userId, known);
  if (!usable.ok) return usable;
  if (known !== null && usable.isUsable) return done({ customerId: known });
  const facts = { name, email, preferred_locales: [locale], metadata: { keepsake_user: userId } };
  // A key stands for exactly these facts: Stripe refuses it together with others.
  const digest = createHash('sha256')
    .update(JSON.stringify([facts, known]))
    .digest('hex')
    .slice(0, 32);
  const slot = Math.floor(billing.now() / KEY_MS);
  const made = await ask(billing, 'create a customer', () =>
    billing.stripe.customers.create(facts, { idempotencyKey: `customer-${digest}-${slot}` }),
  );
  if (!made.ok) return made;
  const customerId = await recordCustomer(billing.db, { userId, customerId: made.value.id }, billing.now());
  return done({ customerId });
}

/**
 * Returns whether a customer can buy. One who was deleted at Stripe, or belongs to another account, never
 * can, and is cleared. With a key of test mode, which may have been set by mistake, only a deleted one is.
 */
async function isUsable(
  billing: Billing,
  userId: string,
  customerId: string,
): Promise<Outcome<{ isUsable: boolean }, StripeCode>> {
  const { stripe, db } = billing;
  const found = await ask(billing, 'read a customer', async () => {
    try {
      return { isUsable: (await stripe.customers.retrieve(customerId)).deleted !== true };
    } catch (error) {
      if (isMissing(error) && isLiveKey(billing)) return { isUsable: false };
      throw error;
    }
  });
  if (!found.ok || found.value.isUsable) return found.ok ? done(found.value) : found;
  // Fetches once more under the old id, to see what ended with it, and what is still paid for.
  const fetched = await fetchSubscriptions(billing, customerId);
  if (!fetched.ok) return fetched;
  await clearCustomer(db, { userId, customerId });
  return done({ isUsable: false });
}

/** The session of a checkout: the one that Stripe made for it, or a new one. */
async function sessionOf(
  billing: Billing,
  asked: { checkout: Checkout; customerId: string; user: Buyer; plan: Plan },
): Promise<Outcome<{ value: Stripe.Checkout.Session }, StripeCode>> {
  const { stripe, db } = billing;
  const {
    checkout: { id, sessionId },
    user,
  } = asked;
  if (sessionId) return ask(billing, 'read a checkout', () => stripe.checkout.sessions.retrieve(sessionId));
  const made = await ask(billing, 'create a checkout', async () =>
    stripe.checkout.sessions.create(await paramsOf(billing, asked), { idempotencyKey: `checkout-${id}` }),
  );
  if (!made.ok) {
    // Asked again under the same key it would be refused again.
    if (made.code === 'refused') await expireCheckout(db, id);
    return made;
  }
  if (await recordSession(db, { checkoutId: id, sessionId: made.value.id })) return made;
  // Closed by another tab meanwhile: nobody may pay on this page.
  const closed = await expireAtStripe(billing, { userId: user.id, sessionId: made.value.id });
  return closed.ok
    ? ask(billing, 'read a checkout', () => stripe.checkout.sessions.retrieve(made.value.id))
    : closed;
}

async function paramsOf(
  billing: Billing,
  { checkout, customerId, user, plan }: { checkout: Checkout; customerId: string; user: Buyer; plan: Plan },
): Promise<Stripe.Checkout.SessionCreateParams> {
  const metadata = { keepsake_user: user.id, keepsake_checkout: checkout.id };
  const { publicUrl, settings } = billing;
  return {
    mode: 'subscription',
    customer: customerId,
    client_reference_id: user.id,
    line_items: [{ price: await priceIdOf(billing, plan), quantity: 1 }],
    // Stripe replaces the braces, which URL would encode.
    success_url: `${new URL('/billing/return', publicUrl).href}?session_id={CHECKOUT_SESSION_ID}`,
    cancel_url: new URL('/billing', publicUrl).href,
    expires_at: Math.floor(checkout.expiresAtMs / 1000),
    locale: 'auto',
    metadata,
    allowed_payment_method_types: paymentTypesOf(settings),
    payment_method_collection: 'always',
    subscription_data: { metadata, ...(checkout.trialTwitchId && { trial_period_days: TRIAL_DAYS }) },
    ...taxParams[settings.tax],
  };
}

/** The party that calculates the tax: nobody, Stripe Tax, or Stripe as the seller. */
const taxParams: Record<Billing['settings']['tax'], Partial<Stripe.Checkout.SessionCreateParams>> = {
  none: {},
  stripe: {
    automatic_tax: { enabled: true },
    billing_address_collection: 'required',
    customer_update: { address: 'auto', name: 'auto' },
    tax_id_collection: { enabled: true },
  },
  managed: { managed_payments: { enabled: true } },
};
