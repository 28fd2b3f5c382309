import { done, type Outcome } from '#domain/kernel/outcome.ts';
import { fitRules } from '#domain/rule/fit-rules.ts';
import { expireCheckout, listOpenCheckouts } from '#domain/subscription/open-checkout.ts';
import { beginFetch, storeFetched } from '#domain/subscription/store-fetched.ts';
import { dropCustomer } from '#domain/subscription/stripe-customer.ts';
import type { SubscriptionFacts } from '#domain/subscription/transition.ts';
import { ask, type Billing, isLiveKey, isMissing, type StripeCode } from './billing.ts';
import { carryOutDue } from './carry-out.ts';
import { readFacts } from './read-facts.ts';

/** Rounds of fetching: one more after something was done at Stripe, and none after the last. */
const MAX_ROUNDS = 3;

/**
 * Brings the stored subscriptions of a customer up to date: fetches all of them, stores them together with
 * the acts that they require at Stripe, fits the streamer's rules to the plan, and carries the acts out. The
 * return page, webhooks and the nightly job all call it; calling it twice changes nothing.
 */
export async function fetchSubscriptions(
  billing: Billing,
  customerId: string,
): Promise<Outcome<{ known: boolean }, StripeCode>> {
  for (let round = 1; ; round++) {
    const { operatorEmail } = billing;
    const begun = await beginFetch(billing.db, customerId);
    if (!begun) return done({ known: false });
    const fetched = await ask(billing, 'fetch subscriptions', () => fetchAll(billing, customerId));
    if (!fetched.ok) return fetched;
    if (fetched.value === null) {
      await dropUnknown(billing, begun.userId, customerId);
      return done({ known: false });
    }
    const facts = fetched.value;
    const stored = await storeFetched(billing.db, { ...begun, facts, operatorEmail }, billing.now());
    if (!stored) return done({ known: true });
    report(billing, customerId, stored);
    // Also without a change: an earlier fetch may have been stopped between storing one and this.
    await fitRules(billing.db, begun.userId, billing.now());
    const carried = await carryOutDue(billing, begun.userId);
    if (!carried.ok) return carried;
    if (carried.count === 0 || round === MAX_ROUNDS) return done({ known: true });
  }
}

/**
 * Fetches after Stripe has carried out a change. The change stays done even if this fails, and its webhook or
 * the nightly job fetches again.
 */
export async function fetchAfterwards(billing: Billing, customerId: string): Promise<void> {
  const fetched = await fetchSubscriptions(billing, customerId);
  if (!fetched.ok) billing.log.warn({ customerId }, 'a change was carried out, but could not be fetched yet');
}

/**
 * Fetches all subscriptions of a customer, with the facts from their invoices and the next charge; null if
 * the account has no such customer.
 */
async function fetchAll(billing: Billing, customerId: string): Promise<SubscriptionFacts[] | null> {
  const { stripe } = billing;
  const expand = ['data.schedule'];
  try {
    const pages = stripe.subscriptions.list({ customer: customerId, status: 'all', limit: 100, expand });
    const subscriptions = await pages.autoPagingToArray({ limit: 10_000 });
    const facts: SubscriptionFacts[] = [];
    for (const each of subscriptions) facts.push(await readFacts(billing, each));
    return facts;
  } catch (error) {
    // A key of test mode that was set by mistake finds no customer either.
    if (isMissing(error) && isLiveKey(billing)) return null;
    throw error;
  }
}

/**
 * Ends the stored data of a customer of another account, for example one of test mode, whom nobody can charge
 * any more.
 */
async function dropUnknown(billing: Billing, userId: string, customerId: string): Promise<void> {
  const { db, log } = billing;
  log.error({ customerId }, 'Stripe has no such customer; the subscriptions stored for it have ended');
  for (const { id } of await listOpenCheckouts(db, userId)) await expireCheckout(db, id);
  await dropCustomer(db, { userId, customerId }, billing.now());
  await fitRules(db, userId, billing.now());
}

function report(
  { log }: Billing,
  customerId: string,
  { changes, surplus, reversed, unreadable }: NonNullable<Awaited<ReturnType<typeof storeFetched>>>,
): void {
  for (const change of changes) log.info({ customerId, ...change }, 'a subscription changed');
  for (const { id, why } of surplus)
    log.warn({ subscriptionId: id, why }, 'cancelling and refunding a subscription that nobody may keep');
  for (const { id, why } of reversed)
    log.warn({ subscriptionId: id, why }, 'a payment was reversed; its subscription is cancelled');
  for (const { id, status } of unreadable)
    log.error(
      { customerId, subscriptionId: id, status },
      'a subscription is unreadable; its plan stays as it was',
    );
}
