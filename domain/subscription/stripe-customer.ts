import { and, asc, eq, inArray, isNotNull, isNull, lt, lte, type SQL, sql } from 'drizzle-orm';
import type { Database, Reader } from '#db/database.ts';
import { is, within } from '#db/dialect.ts';
import {
  checkouts,
  liveSubscriptionStates,
  planStates,
  stripeCustomers,
  subscriptions,
} from '#db/schema/billing.ts';
import { billingLock } from '#domain/kernel/locks.ts';
import { day, minute } from '#domain/kernel/time.ts';
import { announce } from '#domain/outbox/announce.ts';
import { listActsOf, withdrawActs } from './billing-acts.ts';

/**
 * Finds the customer of a user, and the number of the last fetch that was stored; null before their first
 * checkout.
 */
export async function findCustomer(
  q: Reader,
  userId: string,
): Promise<{ customerId: string; fetchStored: number } | null> {
  const [row] = await q.select().from(stripeCustomers).where(eq(stripeCustomers.userId, userId));
  return row?.customerId ? { customerId: row.customerId, fetchStored: row.fetchStored } : null;
}

/** Finds the customer id of a user; null before their first checkout. */
export const findCustomerId = async (q: Reader, userId: string): Promise<string | null> =>
  (await findCustomer(q, userId))?.customerId ?? null;

/**
 * Stores a user's customer. The first one stays: a concurrent request gets the same customer from Stripe by
 * its idempotency key. Returns the stored one.
 */
export async function recordCustomer(
  db: Database,
  { userId, customerId }: { userId: string; customerId: string },
  nowMs: number,
): Promise<string> {
  return db.transaction(async (tx) => {
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

/**
 * Clears a customer that Stripe does not have, and ends what is stored for it: subscriptions, and acts for
 * Stripe.
 */
export async function dropCustomer(
  db: Database,
  { userId, customerId }: { userId: string; customerId: string },
  nowMs: number,
): Promise<void> {
  await db.transaction(
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
      await withdrawActs(tx, await listActsOf(tx, userId), nowMs);
      await announce(tx, [{ userId, kind: 'account.changed', subjectId: userId }], nowMs);
    },
    { lock: billingLock(userId) },
  );
}

const FIRST_PAUSE_MS = 5 * minute;

/**
 * Defers a customer whose work failed, so that the others have their turn: for a pause that grows up to a
 * day, with a random part. Returns the number of failures in a row.
 */
export async function deferCustomer(
  db: Database,
  customerId: string,
  { nowMs, random = Math.random }: { nowMs: number; random?: () => number },
): Promise<number> {
  return db.transaction(async (tx) => {
    const [row] = await tx
      .update(stripeCustomers)
      .set({ failures: sql`${stripeCustomers.failures} + 1` })
      .where(eq(stripeCustomers.customerId, customerId))
      .returning({ failures: stripeCustomers.failures });
    if (!row) return 0;
    const pauseMs = Math.min(day, FIRST_PAUSE_MS * 2 ** Math.min(row.failures - 1, 10));
    const retryAtMs = nowMs + Math.round(pauseMs * (0.75 + random() / 4));
    await tx.update(stripeCustomers).set({ retryAtMs }).where(eq(stripeCustomers.customerId, customerId));
    return row.failures;
  });
}

/**
 * Clears a customer who was deleted at Stripe, so that the next purchase creates another. Paid plans stay.
 */
export async function clearCustomer(
  db: Database,
  { userId, customerId }: { userId: string; customerId: string },
): Promise<void> {
  await db.transaction((tx) =>
    tx
      .update(stripeCustomers)
      .set({ customerId: null, failures: 0, retryAtMs: 0 })
      .where(and(eq(stripeCustomers.userId, userId), eq(stripeCustomers.customerId, customerId))),
  );
}

/**
 * A customer is fetched again after this long: one who pays or is about to, and one about whom little can
 * change any more.
 */
const MAX_AGE_MS = { paying: day, past: 30 * day } as const;

/**
 * Lists customers whose subscriptions were not fetched for a day, the longest waiting first. Customers who
 * have neither a paid plan nor an open checkout are listed after a month.
 */
export async function listCustomersToFetch(
  { read }: Database,
  { limit }: { limit: number },
  nowMs: number,
): Promise<string[]> {
  const { customerId, fetchedAtMs, userId } = stripeCustomers;
  const paying = read
    .select({ userId: subscriptions.userId })
    .from(subscriptions)
    .where(within(subscriptions.state, planStates))
    .union(read.select({ userId: checkouts.userId }).from(checkouts).where(is(checkouts.state, 'open')));
  const find = (among: SQL | undefined, maxAgeMs: number) =>
    read
      .select({ customerId, fetchedAtMs })
      .from(stripeCustomers)
      .where(
        and(
          isNotNull(customerId),
          lt(fetchedAtMs, nowMs - maxAgeMs),
          lte(stripeCustomers.retryAtMs, nowMs),
          among,
        ),
      )
      .orderBy(asc(fetchedAtMs), asc(userId))
      .limit(limit);
  const found = [
    ...(await find(inArray(userId, paying), MAX_AGE_MS.paying)),
    ...(await find(undefined, MAX_AGE_MS.past)),
  ].sort((one, other) => one.fetchedAtMs - other.fetchedAtMs);
  return [...new Set(found.flatMap((each) => each.customerId ?? []))].slice(0, limit);
}
