import { inArray, lt } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { events } from '#db/schema/outbox.ts';
import { day } from '#domain/kernel/time.ts';

/** Rows per transaction, so that other writes are not blocked for long. */
const SLICE = 5_000;

/** Deletes events too old for any live page. */
export async function pruneEvents(db: Database, nowMs: number): Promise<void> {
  for (;;) {
    const forgotten = await db.transaction(async (tx) => {
      const old = tx
        .select({ id: events.id })
        .from(events)
        .where(lt(events.atMs, nowMs - day))
        .limit(SLICE);
      return tx.delete(events).where(inArray(events.id, old)).returning({ id: events.id });
    });
    if (forgotten.length < SLICE) return;
  }
}
