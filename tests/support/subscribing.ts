import type { Database } from '#db/database.ts';
import { day } from '#domain/kernel/time.ts';
import { nothingPaid } from '#domain/subscription/paid-until.ts';
import { beginFetch, storeFetched } from '#domain/subscription/store-fetched.ts';
import { recordCustomer } from '#domain/subscription/stripe-customer.ts';
import type { SubscriptionFacts } from '#domain/subscription/transition.ts';
import { nextNumber, type Person, START_MS } from './fixtures.ts';

/** A subscription as Stripe would describe it: streamer basic by the month, begun at the start of the test. */
export function subscriptionFacts(facts: Partial<SubscriptionFacts> = {}): SubscriptionFacts {
  return {
    id: `sub_${nextNumber()}`,
    status: 'active',
    plan: { product: 'streamer', tier: 'basic', period: 'month' },
    hasOtherItems: false,
    anchorMs: START_MS,
    periodStartMs: START_MS,
    periodEndMs: START_MS + 31 * day,
    trialUntilMs: null,
    cancelAtMs: null,
    endedAtMs: null,
    next: null,
    servedScheduleId: null,
    price: 499,
    currency: 'usd',
    checkoutId: null,
    createdAtMs: START_MS,
    paid: nothingPaid,
    upcoming: null,
    pause: null,
    ...facts,
  };
}

/** Stores the facts that a fetch of a person's subscriptions would find. */
export async function storeFacts(
  db: Database,
  { userId }: Pick<Person, 'userId'>,
  facts: readonly SubscriptionFacts[],
  nowMs = START_MS,
) {
  const customerId = await recordCustomer(db, { userId, customerId: `cus_${userId}` }, nowMs);
  const begun = await beginFetch(db, customerId);
  if (!begun) throw new Error(`no customer of ${userId}`);
  return storeFetched(db, { ...begun, facts, operatorEmail: null }, nowMs);
}
