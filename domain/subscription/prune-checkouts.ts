import { and, inArray, lt } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { within } from '#db/dialect.ts';
import { checkouts } from '#db/schema/billing.ts';
import { day } from '#domain/kernel/time.ts';

/** Long after Stripe's page has closed; every customer has been fetched many times by then. */
const RETENTION_MS = 90 * day;
const SLICE = 1000;

/**
 * Deletes checkouts that ended long ago, completed or not, because nothing depends on them any more. The
 * subscription has their result, and the record of a used trial stays.
 */
export async function pruneCheckouts(db: Database, nowMs: number): Promise<void> {
  for (let deleted = SLICE; deleted === SLICE; )
    deleted = await db.transaction(async (tx) => {
      const old = tx
        .select({ id: checkouts.id })
        .from(checkouts)
        .where(
          and(
            lt(checkouts.createdAtMs, nowMs - RETENTION_MS),
            within(checkouts.state, ['completed', 'expired']),
          ),
        )
        .limit(SLICE);
      const gone = await tx
        .delete(checkouts)
        .where(inArray(checkouts.id, old))
        .returning({ id: checkouts.id });
      return gone.length;
    });
}
