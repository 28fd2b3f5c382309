import { and, desc, gte, isNotNull, lt, type SQL } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { rewards } from '#db/schema/reward.ts';
import { beyond } from '#db/search.ts';
import { decodeCursor, encodeCursor, type Page, pageOf } from '#domain/kernel/page.ts';

/** The dates of promises, and where the page begins. */
export interface PromiseDates {
  fromMs?: number | undefined;
  /** Exclusive. */
  untilMs?: number | undefined;
  after?: string | null;
}

/** Promises that one page looks through for what the filters ask; a page may be short and still have a next. */
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

/** The latest promises past the cursor and within the dates. An index has to serve `whose`. */
export const promiseSpan = (database: Database, whose: SQL, dates: PromiseDates, limit = MAX_SPAN) =>
  promises(database, whose, dates).limit(limit).as('span');

/** The page of what was found in a span. With too little in a full span, the next page begins behind it. */
export async function pageInSpan<Row extends { id: string; promisedAtMs: number }>(
  database: Database,
  found: { rows: readonly Row[]; size: number; whose: SQL; dates: PromiseDates },
): Promise<Page<Row>> {
  const page = pageOf(found.rows, found.size, (row) => [row.promisedAtMs, row.id]);
  if (page.next !== null) return page;
  const [last] = await promises(database, found.whose, found.dates)
    .limit(1)
    .offset(MAX_SPAN - 1);
  return { ...page, next: last ? encodeCursor([last.promisedAtMs ?? 0, last.id]) : null };
}
