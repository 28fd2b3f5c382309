import { type SQL, sql } from 'drizzle-orm';

/** Rows whose text contains what somebody typed, whatever its case; `%` and `_` mean themselves. No text holds a zero. */
export function contains(column: unknown, typed: string): SQL {
  const literal = typed
    .toLowerCase()
    .replaceAll('\0', '')
    .replace(/[\\%_]/g, '\\$&');
  return sql`lower(${column}) like ${`%${literal}%`} escape '\\'`;
}

/** How many of a group's rows meet a condition. */
export const countOf = (condition: SQL | undefined): SQL<number> =>
  sql`count(case when ${condition} then 1 end)`.mapWith(Number) as SQL<number>;
