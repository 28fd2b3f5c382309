import { and, type Column, eq, getTableColumns, type SQL, sql } from 'drizzle-orm';
import type { PgTable } from 'drizzle-orm/pg-core';
import { encodingOf } from '#db/engine/quick-statement.ts';
import { type Answer, answered, type Tx } from './database.ts';
import { rowsOf } from './dialect.ts';
import { statement } from './statement.ts';

/** A table whose rows have an id and a state governed by a machine. */
type Governed = PgTable & {
  $inferInsert: Record<string, unknown>;
  $inferSelect: { id: string; state: string };
};

const placeholders = (keys: readonly string[]) =>
  Object.fromEntries(keys.map((key) => [key, sql.placeholder(key)]));

/** Returns the statement for each set of columns, built on first use. */
function perColumns<S>(build: (keys: readonly string[]) => S): (row: object) => S {
  // Each table is written with only a few column sets, so comparing keys is cheaper than building a lookup key.
  const made: { keys: readonly string[]; statement: S }[] = [];
  return (row) => {
    for (const { keys, statement } of made) if (hasExactly(row, keys)) return statement;
    const keys = Object.entries(row).flatMap(([key, value]) => (value === undefined ? [] : [key]));
    const statement = build([...keys].sort());
    made.push({ keys, statement });
    return statement;
  };
}

/** Returns whether a row has values for exactly these columns, in this order. */
function hasExactly(row: object, keys: readonly string[]): boolean {
  let place = 0;
  for (const key in row) {
    if ((row as Record<string, unknown>)[key] === undefined) continue;
    if (key !== keys[place]) return false;
    place++;
  }
  return place === keys.length;
}

/** Encodes rows as one JSON parameter, whose elements the database casts to the column types. */
function jsonWriter(columns: readonly [key: string, Column][]): (rows: readonly object[]) => string {
  const encodings = columns.map(([key, column]) => ({ key, encode: encodingOf(column) }));
  return (rows) => {
    const written: unknown[][] = [];
    for (const row of rows) {
      const values: unknown[] = [];
      for (const { key, encode } of encodings) {
        const value = (row as Record<string, unknown>)[key] ?? null;
        values.push(value === null || !encode ? value : encode(value));
      }
      written.push(values);
    }
    return JSON.stringify(written);
  };
}

const typesOf = (columns: readonly [string, Column][]) =>
  Object.fromEntries(columns.map(([, column]) => [column.name, column.getSQLType()]));

const columnsOf = (table: PgTable, keys: readonly string[]): [string, Column][] =>
  Object.entries(getTableColumns(table)).filter(([key]) => keys.includes(key));

/**
 * Inserts any number of rows in one statement. Columns missing from the first row get their defaults in every row. A
 * unique violation makes the transaction throw, unless `passOverKnown` skips existing rows.
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
    const asJson = jsonWriter(columns);
    return (tx: Tx, rows: readonly object[]) => insert(tx, { rows: asJson(rows) });
  });
  return (tx: Tx, rows: readonly T['$inferInsert'][]): Answer<unknown> =>
    rows[0] ? inserts(rows[0])(tx, rows) : undefined;
}

/** Inserts one row with a prepared statement. A unique violation makes the transaction throw. */
export function insertInto<T extends PgTable>(table: T, name: string) {
  const inserts = perColumns((keys) =>
    statement(`insert_${name}`, (tx) => tx.insert(table).values(placeholders(keys) as T['$inferInsert'])),
  );
  return (tx: Tx, row: T['$inferInsert']): Answer<unknown> =>
    inserts(row)(tx, row as Record<string, unknown>);
}

/**
 * The guarded UPDATE behind every state machine: moves a row from the state it was read in and applies the patch.
 * Returns false if another transaction moved it first.
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
  const isOne = (moved: unknown) => (moved as unknown[]).length === 1;
  return (
    tx: Tx,
    row: { id: string; state: Row['state'] },
    patch: Partial<Row> & { state: Row['state'] },
  ): Answer<boolean> =>
    answered(moves(patch)(tx, { ...patch, whereId: row.id, whereState: row.state }), isOne);
}

/**
 * Like `moveIn`, for many rows that move from one state to another in one statement. All rows must have the same
 * columns. Returns the ids that moved.
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
    const asJson = jsonWriter(columns);
    return (tx: Tx, rows: readonly object[], states: { state: string; whereState: string }) =>
      move(tx, { rows: asJson(rows), ...states });
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
