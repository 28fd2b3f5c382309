import { type SQL, type SQLWrapper, sql } from 'drizzle-orm';

/** How much waits, and since when the oldest does; null if nothing waits. */
export interface Queue {
  waiting: number;
  oldestAtMs: number | null;
  /** When the first of what has failed is tried again; null if nothing has. */
  retryAtMs: number | null;
  /** What the last failure said, as text or code; null if nothing has failed, or where that is not stored. */
  problem: string | null;
}

/** When the first of those that were attempted is tried again, in a query that counts a queue. */
export const firstRetry = (attempts: SQLWrapper, atMs: SQLWrapper): SQL<number | null> =>
  sql<number | null>`min(case when ${attempts} > 0 then ${atMs} end)`;

/** The pause after a first failure, which doubles with this many, and the one after each further. */
interface Pauses {
  firstMs: number;
  doublings: number;
  maxMs: number;
}

/** How long what was attempted so often has been paused in all, in a query. */
export function pausedMs(attempts: SQLWrapper, { firstMs, doublings, maxMs }: Pauses): SQL {
  const number = (value: number) => sql.raw(String(value));
  const doubled = sql`${number(firstMs)} * ((1 << cast(${attempts} as int)) - 1)`;
  const further = sql`(${attempts} - ${number(doublings)}) * ${number(maxMs)}`;
  const all = number(firstMs * (2 ** doublings - 1));
  return sql`case when ${attempts} <= ${number(doublings)} then ${doubled} else ${all} + ${further} end`;
}

interface Counted {
  waiting: number;
  oldestAtMs: number | string | null;
  retryAtMs: number | string | null;
}

const numberOrNull = (value: number | string | null | undefined): number | null =>
  value == null ? null : Number(value);

/** A queue from what a query counted; PostgreSQL returns some numbers as text. */
export const queueOf = (row: Counted | undefined, problem: string | null = null): Queue => ({
  waiting: row?.waiting ?? 0,
  oldestAtMs: numberOrNull(row?.oldestAtMs),
  retryAtMs: numberOrNull(row?.retryAtMs),
  problem,
});
