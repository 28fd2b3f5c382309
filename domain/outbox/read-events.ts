import { and, asc, count, desc, eq, gt, lte, sql } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { events } from '#db/schema/outbox.ts';
import { statement } from '#db/statement.ts';
import { momentOf } from '#domain/kernel/id.ts';
import type { Announcement } from '#domain/outbox/announce.ts';

/** A change for one user's live pages. */
export interface LiveEvent {
  id: string;
  userId: string;
  kind: Announcement;
  subjectId: string;
}

/**
 * Each read starts this far before the last event. Events may become visible out of order: transactions
 * commit in their own order, and ids of the same millisecond have none. Readers skip ids they have seen.
 */
export const OVERLAP_MS = 5_000;

/** Returns the id that sorts before every event of a millisecond. */
export const firstIdAt = (ms: number): string => {
  const hex = Math.max(0, ms).toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`;
};

/** Returns the id of the newest event, where a reader of future events starts; null if there are none. */
export async function newestEventId(db: Database): Promise<string | null> {
  const [newest] = await db.read.select({ id: events.id }).from(events).orderBy(desc(events.id)).limit(1);
  return newest?.id ?? null;
}

/** Returns the id to resume reading from after an event: slightly before it. */
export const overlapBefore = (id: string): string => firstIdAt(momentOf(id) - OVERLAP_MS);

/**
 * Returns the id that a reader at this event should resume from later: the event itself, or an earlier one
 * while other events of the same time may still become visible. Repeated events have the same ids.
 */
export const resumeAfter = (id: string, nowMs: number): string => {
  const settled = firstIdAt(nowMs - OVERLAP_MS);
  return id < settled ? id : settled;
};

const countBetween = statement('events_between', (q) =>
  q
    .select({ events: count() })
    .from(events)
    .where(and(gt(events.id, sql.placeholder('afterId')), lte(events.id, sql.placeholder('untilId')))),
);

/** Counts everyone's events after an id, up to and including another one: less work than reading them. */
export async function countEvents(
  db: Database,
  between: { afterId: string; untilId: string },
): Promise<number> {
  const [counted] = await countBetween(db.read, between);
  return counted?.events ?? 0;
}

/** Lists events after an id in id order, of one user or of everyone; null starts at the first event. */
export async function readEvents(
  db: Database,
  asked: { afterId: string | null; userId?: string; kind?: Announcement | undefined; limit?: number },
): Promise<LiveEvent[]> {
  const { afterId, userId, kind, limit = 500 } = asked;
  const rows = await db.read
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
    .limit(limit);
  // Only announce() writes this table, so every kind is an Announcement.
  return rows as LiveEvent[];
}
