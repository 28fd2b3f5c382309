import { and, asc, eq, gt, inArray } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { within } from '#db/dialect.ts';
import { liveSubscriptionStates, stripeCustomers, subscriptions } from '#db/schema/billing.ts';
import type { Subscription } from './transition.ts';

/** Lists a page of everybody's live subscriptions, in the order of their ids, for the operator. */
export const listSubscriptions = (
  { read }: Database,
  { after = '', size = 500 }: { after?: string; size?: number },
): Promise<Subscription[]> =>
  read
    .select()
    .from(subscriptions)
    .where(and(within(subscriptions.state, liveSubscriptionStates), gt(subscriptions.id, after)))
    .orderBy(asc(subscriptions.id))
    .limit(size);

/** Finds the stored rows of these subscriptions, by their ids. */
export async function findStored(
  { read }: Database,
  ids: readonly string[],
): Promise<Map<string, Subscription>> {
  const rows = await read
    .select()
    .from(subscriptions)
    .where(inArray(subscriptions.id, [...ids]));
  return new Map(rows.map((row) => [row.id, row]));
}

/** Finds the user behind a customer; null for a customer of somebody else at the same Stripe account. */
export async function findUserOf({ read }: Database, customerId: string): Promise<string | null> {
  const [row] = await read.select().from(stripeCustomers).where(eq(stripeCustomers.customerId, customerId));
  return row?.userId ?? null;
}
