import { and, asc, eq, inArray, isNull, lt, lte, sql } from 'drizzle-orm';
import type { Database, Tx } from '#db/database.ts';
import { stripeEvents } from '#db/schema/billing.ts';
import { day, minute } from '#domain/kernel/time.ts';

export type StripeEvent = typeof stripeEvents.$inferSelect;

/**
 * Stripe lists its events for 30 days; ids are stored as long as one of them could be delivered or read
 * again.
 */
const RETENTION_MS = 35 * day;
const MAX_PAUSE_MS = 30 * minute;
const SLICE = 1000;

/** The part of an event that is stored when it arrives. */
export type ReceivedEvent = Pick<StripeEvent, 'id' | 'type' | 'customerId' | 'objectId'> &
  Partial<Pick<StripeEvent, 'occurredAtMs'>>;

/** Stores events to be handled, a thousand in a transaction. Returns the ids of those that were not received before. */
export async function receiveEvents(
  db: Database,
  events: readonly ReceivedEvent[],
  systemMs: number,
): Promise<Set<string>> {
  const fresh = new Set<string>();
  for (let from = 0; from < events.length; from += SLICE) {
    const rows = events.slice(from, from + SLICE).map((event) => ({ ...event, receivedAtMs: systemMs }));
    const inserted = await db.transaction((tx) =>
      tx.insert(stripeEvents).values(rows).onConflictDoNothing().returning({ id: stripeEvents.id }),
    );
    for (const { id } of inserted) fresh.add(id);
  }
  return fresh;
}

/** Lists events that wait to be handled. */
export const listEventsDue = ({ read }: Database, systemMs: number, limit: number): Promise<StripeEvent[]> =>
  read
    .select()
    .from(stripeEvents)
    .where(and(isNull(stripeEvents.handledAtMs), lte(stripeEvents.retryAtMs, systemMs)))
    .orderBy(asc(stripeEvents.retryAtMs), asc(stripeEvents.id))
    .limit(limit);

/** Finds when the payment of an invoice first failed, by the events that came about it; null if none did. */
export async function firstFailureOf({ read }: Database, invoiceId: string): Promise<number | null> {
  const failures = await read
    .select({ occurredAtMs: stripeEvents.occurredAtMs })
    .from(stripeEvents)
    .where(and(sql`${stripeEvents.type} = 'invoice.payment_failed'`, eq(stripeEvents.objectId, invoiceId)));
  const moments = failures.flatMap(({ occurredAtMs }) => occurredAtMs ?? []);
  return moments.length > 0 ? Math.min(...moments) : null;
}

/**
 * Marks an event as handled, so that nothing follows from it any more. Returns false if it was marked before.
 */
export async function markHandled(tx: Tx, id: string, systemMs: number): Promise<boolean> {
  const marked = await tx
    .update(stripeEvents)
    .set({ handledAtMs: systemMs })
    .where(and(eq(stripeEvents.id, id), isNull(stripeEvents.handledAtMs)))
    .returning({ id: stripeEvents.id });
  return marked.length === 1;
}

/** Defers an event that could not be handled now. */
export async function deferEvent(db: Database, event: StripeEvent, systemMs: number): Promise<void> {
  const attempts = event.attempts + 1;
  const retryAtMs = systemMs + Math.min(MAX_PAUSE_MS, 5_000 * 2 ** Math.min(event.attempts, 10));
  await db.transaction((tx) =>
    tx.update(stripeEvents).set({ attempts, retryAtMs }).where(eq(stripeEvents.id, event.id)),
  );
}

/** Returns the milliseconds until the next waiting event is due; null if none waits. */
export async function nextEventDueMs({ read }: Database, systemMs: number): Promise<number | null> {
  const [next] = await read
    .select({ retryAtMs: stripeEvents.retryAtMs })
    .from(stripeEvents)
    .where(isNull(stripeEvents.handledAtMs))
    .orderBy(asc(stripeEvents.retryAtMs), asc(stripeEvents.id))
    .limit(1);
  return next ? Math.max(0, next.retryAtMs - systemMs) : null;
}

/** Deletes events too old to come again. */
export async function pruneEvents(db: Database, systemMs: number): Promise<void> {
  for (let deleted = SLICE; deleted === SLICE; )
    deleted = await db.transaction(async (tx) => {
      const old = tx
        .select({ id: stripeEvents.id })
        .from(stripeEvents)
        .where(lt(stripeEvents.receivedAtMs, systemMs - RETENTION_MS))
        .limit(SLICE);
      const gone = await tx
        .delete(stripeEvents)
        .where(inArray(stripeEvents.id, old))
        .returning({ id: stripeEvents.id });
      return gone.length;
    });
}
