import { and, desc, gte, isNotNull, lt, type SQL } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { rewards } from '#db/schema/reward.ts';
import { beyond } from '#db/search.ts';
import { decodeCursor, encodeCursor, type Page, pageOf } from '#domain/kernel/page.ts';

/** The dates of promises, and the cursor where the page begins. */
export interface PromiseDates {
  fromMs?: number | undefined;
  /** Exclusive end. */
  untilMs?: number | undefined;
  after?: string | null;
}

/**
 * Number of promises that one page searches for matches of the filters; a page may be short and still have a
 * next one.
 */
const MAX_SPAN = 1000;

const promises = ({ read }: Database, whose: SQL, { fromMs, untilMs, after }: PromiseDates) => {
  const place = decodeCursor(after, ['number', 'text']);
  return read
    .select({ id: rewards.id, promisedAtMs: rewards.promisedAtMs })
    .from(rewards)
    .where(
      and(
        whose,
        isNotNull(rewards.twitchId),
        fromMs === undefined ? undefined : gte(rewards.promisedAtMs, fromMs),
        untilMs === undefined ? undefined : lt(rewards.promisedAtMs, untilMs),
        place ? beyond([rewards.promisedAtMs, rewards.id], '<', place) : undefined,
      ),
    )
    .orderBy(desc(rewards.promisedAtMs), desc(rewards.id));
};

/** The latest promises after the cursor and within the dates. An index has to serve `whose`. */
export const promiseSpan = (db: Database, whose: SQL, dates: PromiseDates, limit = MAX_SPAN) =>
  promises(db, whose, dates).limit(limit).as('span');

/**
 * Builds the page of the rows found in a span. If a full span had too few, the next page begins after the
 * span.
 */
export async function pageInSpan<Row extends { id: string; promisedAtMs: number }>(
  db: Database,
  found: { rows: readonly Row[]; size: number; whose: SQL; dates: PromiseDates },
): Promise<Page<Row>> {
  const page = pageOf(found.rows, found.size, (row) => [row.promisedAtMs, row.id]);
  if (page.next !== null) return page;
  const [last] = await promises(db, found.whose, found.dates)
    .limit(1)
    .offset(MAX_SPAN - 1);
  return { ...page, next: last ? encodeCursor([last.promisedAtMs ?? 0, last.id]) : null };
}
