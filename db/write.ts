import { and, type Column, eq, getTableColumns, type SQL, sql } from 'drizzle-orm';
import type { PgTable } from 'drizzle-orm/pg-core';
import type { Tx } from './database.ts';
import { rowsOf } from './dialect.ts';
import { statement } from './statement.ts';

/** A table whose rows have an id and a state that a machine governs. */
type Governed = PgTable & {
  $inferInsert: Record<string, unknown>;
  $inferSelect: { id: string; state: string };
};

const placeholders = (keys: readonly string[]) =>
  Object.fromEntries(keys.map((key) => [key, sql.placeholder(key)]));

/** The statement for each list of columns that is ever written, built at its first use. */
function perColumns<S>(build: (keys: readonly string[]) => S): (row: object) => S {
  const made = new Map<string, S>();
  return (row) => {
    let shape = '';
    for (const key in row) if ((row as Record<string, unknown>)[key] !== undefined) shape += `${key},`;
    let found = made.get(shape);
    if (!found) {
      found = build(shape.split(',').slice(0, -1).sort());
      made.set(shape, found);
    }
    return found;
  };
}

/** Rows as one parameter: JSON arrays, whose elements the store casts to what these columns hold. */
const asJson = (rows: readonly object[], columns: readonly [key: string, Column][]): string =>
  JSON.stringify(
    rows.map((row) =>
      columns.map(([key, column]) => {
        const value = (row as Record<string, unknown>)[key] ?? null;
        return value === null ? null : column.mapToDriverValue(value);
      }),
    ),
  );

const typesOf = (columns: readonly [string, Column][]) =>
  Object.fromEntries(columns.map(([, column]) => [column.name, column.getSQLType()]));

const columnsOf = (table: PgTable, keys: readonly string[]): [string, Column][] =>
  Object.entries(getTableColumns(table)).filter(([key]) => keys.includes(key));

/**
 * INSERT of any number of rows in one statement. What the first row leaves out, every row leaves to the column's
 * default. A unique violation throws, and none of the rows is written; or rows that are known are passed over.
 */
export function insertManyInto<T extends PgTable>(table: T, name: string, { passOverKnown = false } = {}) {
  const inserts = perColumns((keys) => {
    const columns = columnsOf(table, keys);
    const values = Object.values(getTableColumns(table)).map((column) =>
      columns.some(([, given]) => given === column)
        ? sql`written.${sql.identifier(column.name)}`
        : sql`cast(${sql.param(column.default ?? null, column)} as ${sql.raw(column.getSQLType())})`,
    );
    const source = rowsOf(sql.placeholder('rows'), typesOf(columns), 'written');
    const insert = statement(`insert_many_${name}`, (tx) => {
      const query = tx
        .insert(table)
        .select(sql`select ${sql.join(values, sql`, `)} from ${source} where true` as never);
      return passOverKnown ? query.onConflictDoNothing() : query;
    });
    return (tx: Tx, rows: readonly object[]) => insert(tx, { rows: asJson(rows, columns) });
  });
  return async (tx: Tx, rows: readonly T['$inferInsert'][]): Promise<void> => {
    if (rows[0]) await inserts(rows[0])(tx, rows);
  };
}

/** One-row INSERT into a table, as fast as a prepared statement. A unique violation throws. */
export function insertInto<T extends PgTable>(table: T, name: string) {
  const inserts = perColumns((keys) =>
    statement(`insert_${name}`, (tx) => tx.insert(table).values(placeholders(keys) as T['$inferInsert'])),
  );
  return (tx: Tx, row: T['$inferInsert']) =>
    inserts(row)(tx, row as Record<string, unknown>) as Promise<unknown>;
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

/**
 * The same guarded UPDATE for any number of rows that were read in one state and move to one other, in one statement;
 * each row brings the same columns. Answers with the ids of those that moved.
 */
export function moveManyIn<T extends Governed>(table: T, name: string) {
  type Row = T['$inferSelect'];
  const own = table as unknown as { id: SQL; state: SQL };
  const moves = perColumns((keys) => {
    const columns = columnsOf(table, keys);
    const set = columns
      .filter(([key]) => key !== 'id')
      .map(([key, column]) => [key, sql`moved.${sql.identifier(column.name)}`]);
    const source = rowsOf(sql.placeholder('rows'), typesOf(columns), 'moved');
    const move = statement(`move_many_${name}`, (tx) =>
      tx
        .update(table)
        .set({ ...Object.fromEntries(set), state: sql.placeholder('state') } as never)
        .from(source as never)
        .where(and(sql`${own.id} = moved.id`, eq(own.state, sql.placeholder('whereState'))))
        .returning({ id: own.id }),
    );
    return (tx: Tx, rows: readonly object[], states: { state: string; whereState: string }) =>
      move(tx, { rows: asJson(rows, columns), ...states });
  });
  return async (
    tx: Tx,
    { from, to }: { from: Row['state']; to: Row['state'] },
    rows: readonly ({ id: string } & Partial<Row>)[],
  ): Promise<Set<string>> => {
    if (!rows[0]) return new Set();
    const moved = await moves(rows[0])(tx, rows, { state: to, whereState: from });
    return new Set((moved as unknown as { id: string }[]).map(({ id }) => id));
  };
}
