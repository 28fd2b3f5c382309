import { and, eq, type SQL, sql } from 'drizzle-orm';
import type { PgTable } from 'drizzle-orm/pg-core';
import type { Tx } from './database.ts';
import { statement } from './statement.ts';

/** A table whose rows have an id and a state that a machine governs. */
type Governed = PgTable & {
  $inferInsert: Record<string, unknown>;
  $inferSelect: { id: string; state: string };
};

const placeholders = (keys: readonly string[]) =>
  Object.fromEntries(keys.map((key) => [key, sql.placeholder(key)]));
const definedKeys = (row: object) =>
  Object.entries(row)
    .filter(([, value]) => value !== undefined)
    .map(([key]) => key)
    .sort();

/** The statement for each set of columns that is ever written, built at its first use. */
function perColumns<S>(build: (keys: readonly string[]) => S): (row: object) => S {
  const made = new Map<string, S>();
  return (row) => {
    const keys = definedKeys(row);
    const shape = keys.join();
    let found = made.get(shape);
    if (!found) {
      found = build(keys);
      made.set(shape, found);
    }
    return found;
  };
}

/** One-row INSERT into a table, as fast as a prepared statement. A unique violation throws. */
export function insertInto<T extends PgTable>(table: T, name: string) {
  const inserts = perColumns((keys) =>
    statement(`insert_${name}`, (tx) => tx.insert(table).values(placeholders(keys) as T['$inferInsert'])),
  );
  return async (tx: Tx, row: T['$inferInsert']): Promise<void> => {
    await inserts(row)(tx, row as Record<string, unknown>);
  };
}

/**
 * The guarded UPDATE behind every machine: moves one row from the state it was read in, together with what belongs to
 * the new state, and says whether it did. False: someone else was faster.
 */
export function moveIn<T extends Governed>(table: T, name: string) {
  type Row = T['$inferSelect'];
  const columns = table as unknown as { id: SQL; state: SQL };
  const moves = perColumns((keys) =>
    statement(`move_${name}`, (tx) =>
      tx
        .update(table)
        .set(placeholders(keys) as never)
        .where(
          and(eq(columns.id, sql.placeholder('whereId')), eq(columns.state, sql.placeholder('whereState'))),
        )
        .returning({ id: columns.id }),
    ),
  );
  return async (
    tx: Tx,
    row: { id: string; state: Row['state'] },
    patch: Partial<Row> & { state: Row['state'] },
  ) => {
    const moved = await moves(patch)(tx, { ...patch, whereId: row.id, whereState: row.state });
    return (moved as unknown[]).length === 1;
  };
}
