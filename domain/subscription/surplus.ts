import { isLive, type SubscriptionFacts } from './transition.ts';

/** A subscription that must not go on, and why. */
export interface Surplus {
  id: string;
  why: 'duplicate' | 'accountDeleted';
}

/**
 * Returns the subscriptions to be cancelled and paid back: of two of the same product the newer one, and all of a
 * deleted account.
 */
export function surplusOf(
  facts: readonly SubscriptionFacts[],
  { isDeleted }: { isDeleted: boolean },
): Surplus[] {
  const live = facts.filter(isLive);
  if (isDeleted) return live.map(({ id }) => ({ id, why: 'accountDeleted' }));
  const seen = new Set<string>();
  return [...live]
    .filter(({ status }) => status !== 'incomplete')
    .sort((a, b) => a.createdAtMs - b.createdAtMs || (a.id < b.id ? -1 : 1))
    .flatMap(({ id, plan }) => {
      if (!plan) return [];
      if (seen.has(plan.product)) return [{ id, why: 'duplicate' as const }];
      seen.add(plan.product);
      return [];
    });
}
