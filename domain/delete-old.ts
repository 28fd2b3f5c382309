import { and, asc, lt, type SQL, sql } from 'drizzle-orm';
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core';
import type { Database } from '#db/database.ts';

/** Rows deleted per transaction, so that other writes get in between. */
const AT_ONCE = 2000;

interface Old {
  /** The columns of the primary key. */
  key: readonly [PgColumn, ...PgColumn[]];
  /** When a row became old; it has an index. */
  atMs: PgColumn;
  beforeMs: number;
  among?: SQL | undefined;
}

/** Deletes the rows of a table that are older than this, the oldest first, in short transactions. Returns how many. */
export async function deleteOld(
  database: Database,
  table: PgTable,
  { key, atMs, beforeMs, among }: Old,
): Promise<number> {
  const own = sql.join([...key], sql`, `);
  const isOld = and(among, lt(atMs, beforeMs));
  let deleted = 0;
  for (let last = AT_ONCE; last === AT_ONCE; deleted += last)
    last = await database.transaction(async (tx) => {
      const next = tx
        .select(Object.fromEntries(key.map((column) => [column.name, column])))
        .from(table)
        .where(isOld)
        .orderBy(asc(atMs))
        .limit(AT_ONCE);
      // Asked for again, as PostgreSQL does for a row that another transaction changed meanwhile.
      const rows = await tx
        .delete(table)
        .where(and(sql`(${own}) in ${next}`, isOld))
        .returning({ atMs });
      return rows.length;
    });
  return deleted;
}
