import { alarmOperator } from '#domain/outbox/alarm-operator.ts';
import { done, type Outcome } from '#domain/outcome.ts';
import { fitRules } from '#domain/subscription/fit-rules.ts';
import { expireCheckout, listOpenCheckouts } from '#domain/subscription/open-checkout.ts';
import { beginFetch, storeFetched } from '#domain/subscription/store-fetched.ts';
import { dropCustomer } from '#domain/subscription/stripe-customer.ts';
import type { Surplus } from '#domain/subscription/surplus.ts';
import { isLive, type SubscriptionFacts } from '#domain/subscription/transition.ts';
import { ask, type Billing, isLiveKey, isMissing, type StripeCode } from './billing.ts';
import { readFacts } from './read-facts.ts';
import { cancelNow, refundSubscription } from './refund-subscription.ts';
import { releaseSchedule } from './release-schedule.ts';
import { hasServedSchedule } from './subscription-facts.ts';

/** Rounds of fetching: one more after surplus subscriptions were cancelled, and none after that. */
const MAX_ROUNDS = 3;

/**
 * Brings what is stored of a customer's subscriptions up to date: fetches all of them, stores them, cancels and pays
 * back what nobody may keep, and fits the streamer's rules to the plan. The return page, webhooks and the nightly job
 * all call it; calling it twice changes nothing.
 */
export async function fetchSubscriptions(
  billing: Billing,
  customerId: string,
): Promise<Outcome<{ known: boolean }, StripeCode>> {
  for (let round = 1; ; round++) {
    const { operatorEmail } = billing;
    const begun = await beginFetch(billing.database, customerId);
    if (!begun) return done({ known: false });
    const fetched = await ask(billing, 'fetch subscriptions', () => fetchAll(billing, customerId));
    if (!fetched.ok) return fetched;
    if (fetched.value === null) {
      await dropUnknown(billing, begun.userId, customerId);
      return done({ known: false });
    }
    const { facts } = fetched.value;
    const stored = await storeFetched(billing.database, { ...begun, facts, operatorEmail }, billing.now());
    if (!stored) return done({ known: true });
    report(billing, customerId, stored);
    // Also without a change: an earlier fetch may have been stopped between storing one and this.
    await fitRules(billing.database, begun.userId, billing.now());
    for (const subscription of fetched.value.subscriptions.filter(hasServedSchedule)) {
      const released = await releaseSchedule(billing, subscription.id);
      if (!released.ok) return released;
    }
    const reversed = reversedOf(facts, stored.surplus);
    if (stored.surplus.length + reversed.length === 0 || round === MAX_ROUNDS) return done({ known: true });
    const ended = await endSurplus(billing, stored.surplus);
    if (!ended.ok) return ended;
    for (const each of reversed) {
      const cancelled = await endReversed(billing, customerId, each);
      if (!cancelled.ok) return cancelled;
    }
  }
}

/**
 * Fetches after Stripe has carried out a change: it stays done whatever becomes of this, and its webhook or the nightly job
 * brings what is missing.
 */
export async function fetchAfterwards(billing: Billing, customerId: string): Promise<void> {
  const fetched = await fetchSubscriptions(billing, customerId);
  if (!fetched.ok) billing.log.warn({ customerId }, 'a change was carried out, but could not be fetched yet');
}

/** All subscriptions of a customer, with what their invoices say and what comes next; null if the account has no such customer. */
async function fetchAll(billing: Billing, customerId: string) {
  const { stripe } = billing;
  const expand = ['data.schedule'];
  try {
    const pages = stripe.subscriptions.list({ customer: customerId, status: 'all', limit: 100, expand });
    const subscriptions = await pages.autoPagingToArray({ limit: 10_000 });
    const facts: SubscriptionFacts[] = [];
    for (const each of subscriptions) facts.push(await readFacts(billing, each));
    return { subscriptions, facts };
  } catch (error) {
    // A key of test mode that was set by mistake finds no customer either.
    if (isMissing(error) && isLiveKey(billing)) return null;
    throw error;
  }
}

/** Ends what is stored of a customer of another account, whom nobody can charge any more: one of test mode, for example. */
async function dropUnknown(billing: Billing, userId: string, customerId: string): Promise<void> {
  const { database, log } = billing;
  log.error({ customerId }, 'Stripe has no such customer; the subscriptions stored for it have ended');
  for (const { id } of await listOpenCheckouts(database, userId)) await expireCheckout(database, id);
  await dropCustomer(database, { userId, customerId }, billing.now());
  await fitRules(database, userId, billing.now());
}

function report(
  { log }: Billing,
  customerId: string,
  { changes, unreadable }: NonNullable<Awaited<ReturnType<typeof storeFetched>>>,
): void {
  for (const change of changes) log.info({ customerId, ...change }, 'a subscription changed');
  for (const { id, status } of unreadable)
    log.error(
      { customerId, subscriptionId: id, status },
      'a subscription is unreadable; its plan stays as it was',
    );
}

async function endSurplus(
  billing: Billing,
  surplus: readonly Surplus[],
): Promise<Outcome<object, StripeCode>> {
  for (const each of surplus) {
    const { id, why } = each;
    billing.log.warn(
      { subscriptionId: id, why },
      'cancelling and refunding a subscription that nobody may keep',
    );
    const ended = await refundSubscription(billing, each);
    if (!ended.ok) return ended;
  }
  return done({});
}

/** Live subscriptions whose present plan nobody has paid for any more: a refund or a dispute took the money. */
const reversedOf = (facts: readonly SubscriptionFacts[], surplus: readonly Surplus[]): SubscriptionFacts[] =>
  facts.filter(
    (each) => isLive(each) && each.paid.reversedBy !== null && !surplus.some(({ id }) => id === each.id),
  );

/** Cancels a subscription whose payment went back, so that it is not charged again, and notifies the operator first. */
async function endReversed(
  billing: Billing,
  customer: string,
  { id: subscription, paid }: SubscriptionFacts,
): Promise<Outcome<object, StripeCode>> {
  const { database, operatorEmail, log, now } = billing;
  const values = { why: paid.reversedBy ?? 'refund', customer, subscription };
  log.warn(values, 'a payment was reversed; its subscription is cancelled');
  if (operatorEmail !== null) {
    const mail = { recipient: operatorEmail, locale: 'en', template: 'paymentReversed', values } as const;
    await alarmOperator(database, { key: `reversed: ${subscription}`, mail }, now());
  }
  return cancelNow(billing, subscription);
}
