import type { RefundReason } from '#db/schema/billing.ts';
import { isLive, type SubscriptionFacts } from './transition.ts';

/** A subscription that must not go on, and the reason. */
export interface Surplus {
  id: string;
  why: RefundReason;
  /** The payments to refund. */
  payments: readonly string[];
}

/**
 * Returns the subscriptions to be cancelled and refunded: of two for the same product the unpaid one, or else
 * the newer one, and all of a deleted account.
 */
export function surplusOf(
  facts: readonly SubscriptionFacts[],
  { isDeleted }: { isDeleted: boolean },
): Surplus[] {
  const live = facts.filter(isLive);
  if (isDeleted) return live.map((each) => surplusFor('accountDeleted', each));
  const seen = new Set<string>();
  return [...live]
    .filter(({ status }) => status !== 'incomplete')
    .sort((a, b) => rankOf(b) - rankOf(a) || a.createdAtMs - b.createdAtMs || (a.id < b.id ? -1 : 1))
    .flatMap((each) => {
      if (!each.plan) return [];
      if (seen.has(each.plan.product)) return [surplusFor('duplicate', each)];
      seen.add(each.plan.product);
      return [];
    });
}

const surplusFor = (why: RefundReason, { id, paid }: SubscriptionFacts): Surplus => ({
  id,
  why,
  payments: paid.payments,
});

/**
 * Ranks subscriptions: one that is paid for future time comes first, then one whose payment is on its way or
 * was never due.
 */
const rankOf = ({ paid, status }: SubscriptionFacts): number =>
  (paid.payments.length > 0 ? 2 : 0) + (status === 'active' || status === 'trialing' ? 1 : 0);
