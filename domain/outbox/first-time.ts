import type { Tx } from '#db/database.ts';
import { events } from '#db/schema/outbox.ts';
import type { Announcement } from '#domain/outbox/announce.ts';

/**
 * Whether a request is seen for the first time: it is noted, in the act's own transaction, as the event that the act is
 * for the user's pages. False when a submit of the same request did the act before.
 */
export async function firstTime(
  tx: Tx,
  request: { requestId: string; userId: string; kind: Announcement; subjectId: string },
  nowMs: number,
): Promise<boolean> {
  const { requestId: id, ...event } = request;
  const noted = await tx
    .insert(events)
    .values({ ...event, id, atMs: nowMs })
    .onConflictDoNothing()
    .returning({ id: events.id });
  return noted.length === 1;
}
