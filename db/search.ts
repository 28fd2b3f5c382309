import { type SQL, type SQLWrapper, sql } from 'drizzle-orm';

/**
 * Matches text that contains user input, ignoring case. `%` and `_` are literal; NUL is removed because no stored
 * text contains it.
 */
export function contains(column: unknown, typed: string): SQL {
  const literal = typed
    .toLowerCase()
    .replaceAll('\0', '')
    .replace(/[\\%_]/g, '\\$&');
  return sql`lower(${column}) like ${`%${literal}%`} escape '\\'`;
}

/**
 * Keyset pagination: rows past a position in an order by these columns, all in one direction. Row comparison lets
 * both databases use an index; the expanded `or` form would test row by row.
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

/** Counts a group's rows that meet a condition. */
export const countOf = (condition: SQL | undefined): SQL<number> =>
  sql`count(case when ${condition} then 1 end)`.mapWith(Number) as SQL<number>;
