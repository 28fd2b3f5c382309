import { and, asc, eq, lte } from 'drizzle-orm';
import type { Database, Reader } from '#db/database.ts';
import { is, within } from '#db/dialect.ts';
import { liveSubscriptionStates, type Product, stripeCustomers, subscriptions } from '#db/schema/billing.ts';
import type { Subscription } from './transition.ts';

/** A user's live subscriptions, one for each product at most. */
export const listLiveSubscriptions = (q: Reader, userId: string): Promise<Subscription[]> =>
  q
    .select()
    .from(subscriptions)
    .where(and(eq(subscriptions.userId, userId), within(subscriptions.state, liveSubscriptionStates)));

/** The live subscription of a user to a product, or null. */
export async function findSubscription(
  q: Reader,
  { userId, product }: { userId: string; product: Product },
): Promise<Subscription | null> {
  const live = await listLiveSubscriptions(q, userId);
  return live.find((each) => each.product === product) ?? null;
}

/** Subscriptions whose grace period is over, with their customers. */
export const listOverdue = ({ read }: Database, nowMs: number, limit: number) =>
  read
    .select({ id: subscriptions.id, customerId: stripeCustomers.customerId })
    .from(subscriptions)
    .innerJoin(stripeCustomers, eq(stripeCustomers.userId, subscriptions.userId))
    .where(and(is(subscriptions.state, 'grace'), lte(subscriptions.graceUntilMs, nowMs)))
    .orderBy(asc(subscriptions.graceUntilMs))
    .limit(limit);
