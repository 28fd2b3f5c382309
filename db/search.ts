import { type SQL, type SQLWrapper, sql } from 'drizzle-orm';

/** Rows whose text contains what somebody typed, whatever its case; `%` and `_` mean themselves. No text holds a zero. */
export function contains(column: unknown, typed: string): SQL {
  const literal = typed
    .toLowerCase()
    .replaceAll('\0', '')
    .replace(/[\\%_]/g, '\\$&');
  return sql`lower(${column}) like ${`%${literal}%`} escape '\\'`;
}

/**
 * Rows beyond a place in an order by these columns, all in one direction: a comparison of rows, which both stores answer
 * from an index on them. Written out with `or` it would be answered row by row.
 */
export const beyond = (
  columns: readonly SQLWrapper[],
  side: '>' | '<',
  place: readonly (string | number)[],
): SQL =>
  sql`(${sql.join([...columns], sql`, `)}) ${sql.raw(side)} (${sql.join(
    place.map((value) => sql`${value}`),
    sql`, `,
  )})`;

/** How many of a group's rows meet a condition. */
export const countOf = (condition: SQL | undefined): SQL<number> =>
  sql`count(case when ${condition} then 1 end)`.mapWith(Number) as SQL<number>;
