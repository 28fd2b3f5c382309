import { and, asc, eq, isNotNull, isNull, lt } from 'drizzle-orm';
import type { Database, Reader } from '#db/database.ts';
import { within } from '#db/dialect.ts';
import { liveSubscriptionStates, stripeCustomers, subscriptions } from '#db/schema/billing.ts';
import { billingLock } from '#domain/locks.ts';
import { announce } from '#domain/outbox/announce.ts';

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
      .onConflictDoUpdate({
        target: stripeCustomers.userId,
        set: { customerId },
        setWhere: isNull(stripeCustomers.customerId),
      });
    return (await findCustomerId(tx, userId)) ?? customerId;
  });
}

/** Clears a customer that Stripe does not have, and ends the subscriptions stored for it. */
export async function dropCustomer(
  database: Database,
  { userId, customerId }: { userId: string; customerId: string },
  nowMs: number,
): Promise<void> {
  await database.transaction(
    async (tx) => {
      const dropped = await tx
        .update(stripeCustomers)
        .set({ customerId: null })
        .where(and(eq(stripeCustomers.userId, userId), eq(stripeCustomers.customerId, customerId)))
        .returning({ userId: stripeCustomers.userId });
      if (dropped.length === 0) return;
      await tx
        .update(subscriptions)
        .set({ state: 'ended', endsAtMs: nowMs, graceUntilMs: null, problem: null })
        .where(and(eq(subscriptions.userId, userId), within(subscriptions.state, liveSubscriptionStates)));
      await announce(tx, [{ userId, kind: 'account.changed', subjectId: userId }], nowMs);
    },
    { lock: billingLock(userId) },
  );
}

/** Lets the next round come to the other customers first, after Stripe has refused to list this one's subscriptions. */
export async function deferFetch(database: Database, customerId: string, nowMs: number): Promise<void> {
  await database.transaction((tx) =>
    tx.update(stripeCustomers).set({ fetchedAtMs: nowMs }).where(eq(stripeCustomers.customerId, customerId)),
  );
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
