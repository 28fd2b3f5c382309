import { and, asc, eq, gt, isNull, lte } from 'drizzle-orm';
import type { Database, Reader } from '#db/database.ts';
import { is, within } from '#db/dialect.ts';
import {
  liveSubscriptionStates,
  type Product,
  planStates,
  stripeCustomers,
  subscriptions,
} from '#db/schema/billing.ts';
import type { Subscription } from './transition.ts';

export type LiveSubscription = Subscription & { state: (typeof liveSubscriptionStates)[number] };

const isLive = (row: Subscription): row is LiveSubscription =>
  (liveSubscriptionStates as readonly string[]).includes(row.state);

/** Lists a user's live subscriptions, at most one for each product. */
export async function listLiveSubscriptions(q: Reader, userId: string): Promise<LiveSubscription[]> {
  const rows = await q
    .select()
    .from(subscriptions)
    .where(and(eq(subscriptions.userId, userId), within(subscriptions.state, liveSubscriptionStates)));
  return rows.filter(isLive);
}

/** Lists plans that are paid for and go on although their subscriptions have ended at Stripe. */
export const listCovered = (q: Reader, userId: string, nowMs: number): Promise<Subscription[]> =>
  q
    .select()
    .from(subscriptions)
    .where(
      and(
        eq(subscriptions.userId, userId),
        within(subscriptions.state, planStates),
        is(subscriptions.state, 'covered'),
        gt(subscriptions.endsAtMs, nowMs),
      ),
    );

/** Finds the live subscription of a user to a product, or null. */
export async function findSubscription(
  q: Reader,
  { userId, product }: { userId: string; product: Product },
): Promise<LiveSubscription | null> {
  const live = await listLiveSubscriptions(q, userId);
  return live.find((each) => each.product === product) ?? null;
}

/**
 * Lists subscriptions whose grace period is over, with their customers, without those that cannot be read, or
 * whose turn is later.
 */
export const listOverdue = ({ read }: Database, nowMs: number, limit: number) =>
  read
    .select({ id: subscriptions.id, userId: subscriptions.userId, customerId: stripeCustomers.customerId })
    .from(subscriptions)
    .innerJoin(stripeCustomers, eq(stripeCustomers.userId, subscriptions.userId))
    .where(
      and(
        is(subscriptions.state, 'grace'),
        lte(subscriptions.graceUntilMs, nowMs),
        isNull(subscriptions.problem),
        lte(stripeCustomers.retryAtMs, nowMs),
      ),
    )
    .orderBy(asc(subscriptions.graceUntilMs))
    .limit(limit);
