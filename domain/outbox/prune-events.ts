import { lt } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { events } from '#db/schema/outbox.ts';
import { day } from '#domain/clock.ts';

/** Forgets events that no live page can still be waiting for. */
export async function pruneEvents(database: Database, nowMs: number): Promise<void> {
  await database.transaction(async (tx) => {
    await tx.delete(events).where(lt(events.atMs, nowMs - day));
  });
}
