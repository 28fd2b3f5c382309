import { and, asc, eq, isNotNull, lt } from 'drizzle-orm';
import type { Database, Reader } from '#db/database.ts';
import { stripeCustomers } from '#db/schema/billing.ts';

/** The customer id of a user, or null before their first checkout. */
export async function findCustomerId(q: Reader, userId: string): Promise<string | null> {
  const [row] = await q.select().from(stripeCustomers).where(eq(stripeCustomers.userId, userId));
  return row?.customerId ?? null;
}

/**
 * Remembers a user's customer. The first one stays: a second request, made while the first one was on its way, gets the
 * same customer from Stripe by its idempotency key. Returns the one that is stored.
 */
export async function recordCustomer(
  database: Database,
  { userId, customerId }: { userId: string; customerId: string },
  nowMs: number,
): Promise<string> {
  return database.transaction(async (tx) => {
    await tx
      .insert(stripeCustomers)
      .values({ userId, customerId, createdAtMs: nowMs, fetchedAtMs: nowMs })
      .onConflictDoNothing();
    return (await findCustomerId(tx, userId)) ?? customerId;
  });
}

/** Customers whose subscriptions were not fetched since a moment, the longest one first. */
export async function listCustomersToFetch(
  { read }: Database,
  { beforeMs, limit }: { beforeMs: number; limit: number },
): Promise<string[]> {
  const rows = await read
    .select({ customerId: stripeCustomers.customerId })
    .from(stripeCustomers)
    .where(and(isNotNull(stripeCustomers.customerId), lt(stripeCustomers.fetchedAtMs, beforeMs)))
    .orderBy(asc(stripeCustomers.fetchedAtMs), asc(stripeCustomers.userId))
    .limit(limit);
  return rows.flatMap(({ customerId }) => customerId ?? []);
}
