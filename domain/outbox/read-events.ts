import { and, asc, desc, eq, gt } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { events } from '#db/schema/outbox.ts';
import { momentOf } from '#domain/id.ts';
import type { Announcement } from '#domain/outbox/announce.ts';

/** What happened, for the live pages of one user. */
export interface LiveEvent {
  id: string;
  userId: string;
  kind: Announcement;
  subjectId: string;
}

/**
 * Events may become visible later than others that were made after them: transactions commit in their own order, and ids
 * of one moment have none. A reader goes back this far each time and passes over what it has seen.
 */
export const OVERLAP_MS = 5_000;

/** The id that comes before every event of a moment. */
export const firstIdAt = (ms: number): string => {
  const hex = Math.max(0, ms).toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`;
};

/** Where a reader begins that only wants what comes from now on: the newest event. Null while there is none. */
export async function newestEventId(database: Database): Promise<string | null> {
  const [newest] = await database.read
    .select({ id: events.id })
    .from(events)
    .orderBy(desc(events.id))
    .limit(1);
  return newest?.id ?? null;
}

/** Where a reader that has come to an event begins again: a little before it. */
export const overlapBefore = (id: string): string => firstIdAt(momentOf(id) - OVERLAP_MS);

/**
 * Where a reader goes on later who has come to an event just now: after it, or a little earlier when others of its
 * time may still become visible. What comes twice has the same id.
 */
export const resumeAfter = (id: string, nowMs: number): string => {
  const settled = firstIdAt(nowMs - OVERLAP_MS);
  return id < settled ? id : settled;
};

/** Events after an id, in the order of their ids, of one user or of everyone; null begins with the first there is. */
export async function readEvents(
  database: Database,
  asked: { afterId: string | null; userId?: string; kind?: Announcement | undefined; most?: number },
): Promise<LiveEvent[]> {
  const { afterId, userId, kind, most = 500 } = asked;
  const rows = await database.read
    .select({ id: events.id, userId: events.userId, kind: events.kind, subjectId: events.subjectId })
    .from(events)
    .where(
      and(
        gt(events.id, afterId ?? firstIdAt(0)),
        userId === undefined ? undefined : eq(events.userId, userId),
        kind === undefined ? undefined : eq(events.kind, kind),
      ),
    )
    .orderBy(asc(events.id))
    .limit(most);
  // Only announce() writes this table, and only kinds of its own.
  return rows as LiveEvent[];
}
