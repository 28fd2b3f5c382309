import { and, asc, lt, type SQL, sql } from 'drizzle-orm';
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core';
import type { Database } from '#db/database.ts';
import { pruneLock } from '#domain/kernel/locks.ts';
import { pacedTransactions } from '#domain/kernel/paced-transactions.ts';

/** Rows deleted per transaction. */
const AT_ONCE = 5000;
const AT_LEAST = 500;

interface Old {
  /** The columns of the primary key. */
  key: readonly [PgColumn, ...PgColumn[]];
  /** The time at which a row became old; it has an index. */
  atMs: PgColumn;
  beforeMs: number;
  among?: SQL | undefined;
}

/** Deletes the rows of a table older than this, oldest first, in short transactions. */
export async function deleteOld(
  db: Database,
  table: PgTable,
  { key, atMs, beforeMs, among }: Old,
): Promise<void> {
  const own = sql.join([...key], sql`, `);
  const isOld = and(among, lt(atMs, beforeMs));
  const transaction = pacedTransactions(db, pruneLock, AT_ONCE, AT_LEAST);
  for (let isMore = true; isMore; )
    isMore = await transaction(async (tx, size) => {
      const next = tx
        .select(Object.fromEntries(key.map((column) => [column.name, column])))
        .from(table)
        .where(isOld)
        .orderBy(asc(atMs))
        .limit(size);
      // The condition is repeated, as PostgreSQL repeats it for a row that another transaction changed
      // meanwhile.
      const rows = await tx
        .delete(table)
        .where(and(sql`(${own}) in ${next}`, isOld))
        .returning({ atMs });
      return rows.length === size;
    });
}
