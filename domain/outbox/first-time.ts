import type { Tx } from '#db/database.ts';
import { events } from '#db/schema/outbox.ts';
import type { Announcement } from '#domain/outbox/announce.ts';

/**
 * Records a request id as a live event in the action's own transaction. Returns false if the same request was
 * already processed.
 */
export async function firstTime(
  tx: Tx,
  request: { requestId: string; userId: string; kind: Announcement; subjectId: string },
  nowMs: number,
): Promise<boolean> {
  const { requestId: id, ...event } = request;
  const inserted = await tx
    .insert(events)
    .values({ ...event, id, atMs: nowMs })
    .onConflictDoNothing()
    .returning({ id: events.id });
  return inserted.length === 1;
}
