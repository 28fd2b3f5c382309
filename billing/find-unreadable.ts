import type { Outcome } from '#domain/kernel/outcome.ts';
import { findStored } from '#domain/subscription/list-subscriptions.ts';
import { problemOf } from '#domain/subscription/transition.ts';
import { ask, type Billing, type StripeCode } from './billing.ts';
import { fetchSubscriptions } from './fetch-subscriptions.ts';
import { ourItemOf, planOf } from './subscription-facts.ts';

/**
 * Returns whether a customer has a subscription whose plan is unknown: a second purchase may be of the same
 * plan. The operator is notified. A subscription whose plan was known before stays with its product, and does
 * not count.
 */
export async function hasUnreadable(
  billing: Billing,
  customerId: string,
): Promise<Outcome<{ isUnreadable: boolean }, StripeCode>> {
  const { stripe, db } = billing;
  const listed = await ask(billing, 'list subscriptions', () =>
    stripe.subscriptions
      .list({ customer: customerId, status: 'all', limit: 100 })
      .autoPagingToArray({ limit: 10_000 }),
  );
  if (!listed.ok) return listed;
  const odd = listed.value.filter((each) => {
    const ours = ourItemOf(each);
    return problemOf({ status: each.status, plan: ours && planOf(ours.price) }) !== null;
  });
  if (odd.length === 0) return { ok: true, isUnreadable: false };
  const stored = await findStored(
    db,
    odd.map(({ id }) => id),
  );
  const isUnreadable = odd.some(({ id }) => !stored.has(id));
  if (!isUnreadable) return { ok: true, isUnreadable };
  const fetched = await fetchSubscriptions(billing, customerId);
  return fetched.ok ? { ok: true, isUnreadable } : fetched;
}
