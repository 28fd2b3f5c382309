import { type SQL, type SQLWrapper, sql } from 'drizzle-orm';

/** The number that waits, and since when the oldest does; null if nothing waits. */
export interface Queue {
  waiting: number;
  oldestAtMs: number | null;
  /** Time of the next retry of something that failed; null if nothing has. */
  retryAtMs: number | null;
  /** The last failure, as text or code; null if nothing has failed, or where it is not stored. */
  problem: string | null;
}

/** The time of the first retry, in a query that counts a queue. */
export const firstRetry = (attempts: SQLWrapper, atMs: SQLWrapper): SQL<number | null> =>
  sql<number | null>`min(case when ${attempts} > 0 then ${atMs} end)`;

/**
 * The pause after a first failure, the number of failures for which it doubles, and the pause after each
 * further one.
 */
interface Pauses {
  firstMs: number;
  doublings: number;
  maxMs: number;
}

/** Computes, in a query, the total of the pauses after this many attempts. */
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

/** Builds a queue from a query's counts; PostgreSQL returns some numbers as text. */
export const queueOf = (row: Counted | undefined, problem: string | null = null): Queue => ({
  waiting: row?.waiting ?? 0,
  oldestAtMs: numberOrNull(row?.oldestAtMs),
  retryAtMs: numberOrNull(row?.retryAtMs),
  problem,
});
