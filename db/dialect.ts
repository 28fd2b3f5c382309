// One schema and one set of queries for two databases. Everything is typed as PostgreSQL (the stricter one) and built
// with the drizzle core of the database this process uses.
import { type Column, type Placeholder, type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import * as pg from 'drizzle-orm/pg-core';
import * as lite from 'drizzle-orm/sqlite-core';
import { openText, sealText } from '#db/engine/sealed-text.ts';
import type { AliasBuilder, TableBuilder } from '#db/engine/table-types.ts';

/** A database URL selects PostgreSQL; without one the database is an SQLite file in the data folder. */
export const isPostgres = Boolean(process.env.DATABASE_URL || process.env.DATABASE_URL_FILE);

/** The module's one unsound cast: SQLite's builder is given PostgreSQL's type. */
const pick = <T>(postgres: T, sqlite: unknown): T => (isPostgres ? postgres : (sqlite as T));

export const table = pick(pg.pgTable, lite.sqliteTable) as TableBuilder;
export const index = pick(pg.index, lite.index);
export const uniqueIndex = pick(pg.uniqueIndex, lite.uniqueIndex);
export const primaryKey = pick(pg.primaryKey, lite.primaryKey);
export const check = pick(pg.check, lite.check);
export const alias = pick(pg.alias, lite.alias) as AliasBuilder;

// Only column types that both databases store exactly.
export const text = pick(
  (name: string) => pg.text(name),
  (name: string) => lite.text(name),
);
/** Text from a closed list defined beside the table; state machines are checked against it. */
export const oneOf = pick(
  <const V extends readonly [string, ...string[]]>(name: string, values: V) =>
    pg.text(name, { enum: values as unknown as [V[number], ...V[number][]] }),
  (name: string, values: [string, ...string[]]) => lite.text(name, { enum: values }),
);
/** 53-bit integer: counts, seconds, epoch milliseconds. */
export const int = pick(
  (name: string) => pg.bigint(name, { mode: 'number' }),
  (name: string) => lite.integer(name, { mode: 'number' }),
);
export const bool = pick(
  (name: string) => pg.boolean(name),
  (name: string) => lite.integer(name, { mode: 'boolean' }),
);
export const json = pick(
  (name: string) => pg.jsonb(name),
  (name: string) => lite.text(name, { mode: 'json' }),
);

/** Text that is sealed in the database, for one column named as `table.column`. No query can compare it. */
export function sealed(name: string, purpose: string) {
  const text = {
    dataType: () => 'text',
    toDriver: (plain: string) => sealText(plain, purpose),
    fromDriver: (stored: string) => openText(stored, purpose),
  };
  type Text = { data: string; driverData: string };
  return pick(pg.customType<Text>(text)(name), lite.customType<Text>(text)(name));
}

/** A column with a closed list of values, or an expression for one. */
type Listed = SQL | { readonly enumValues: readonly string[] | undefined };
type NameIn<C extends Listed> = C extends { readonly enumValues: readonly (infer Name)[] } ? Name : string;

/** One of our own names as an SQL literal. User input cannot end the quotes. */
function literal(name: string): string {
  if (!/^\w+$/.test(name)) throw new Error(`not a name: ${name}`);
  return `'${name}'`;
}

/** `state = 'a'` as a literal: with a bound parameter SQLite could not use a partial index on that state. */
export const is = <C extends Listed>(column: C, name: NameIn<C>): SQL =>
  sql`${column} = ${sql.raw(literal(name))}`;

/** `state in ('a','b')`, also as literals: bound parameters are refused in indexes and checks of a migration. */
export function within<C extends Listed>(column: C, names: readonly NameIn<C>[]): SQL {
  const [first, ...others] = names;
  if (first === undefined) return sql`false`;
  // SQLite does not treat a one-element list as the equality a partial index needs.
  if (others.length === 0) return is(column, first);
  return sql`${column} in (${sql.raw(names.map(literal).join(', '))})`;
}

/**
 * Turns a JSON array of arrays, or its placeholder, into a table: one bound parameter for any number of rows.
 * `columns` maps each column name to its SQL type, in the order of the inner arrays.
 */
export function rowsOf(
  data: readonly (readonly unknown[])[] | Placeholder,
  columns: Record<string, string>,
  name: string,
): SQL {
  const list = Object.entries(columns).map(
    ([column, type], place) =>
      sql`cast(value->>${sql.raw(String(place))} as ${sql.raw(type)}) as ${sql.identifier(column)}`,
  );
  const rows = Array.isArray(data) ? JSON.stringify(data) : data;
  // SQLite's `json_each` would write each inner array as text, which every `->>` parses again.
  const source = isPostgres ? sql`json_array_elements(cast(${rows} as json))` : sql`jsonb_each(${rows})`;
  return sql`(select ${sql.join(list, sql`, `)} from ${source} as source_rows) as ${sql.identifier(name)}`;
}

/** Turns a JSON array of strings, or its placeholder, into a table with one column, `value`. */
export function listOf(values: readonly string[] | Placeholder, name: string): SQL {
  const list = Array.isArray(values) ? JSON.stringify(values) : values;
  const source = isPostgres
    ? sql`json_array_elements_text(cast(${list} as json)) as list_rows(value)`
    : sql`json_each(${list})`;
  return sql`(select value from ${source}) as ${sql.identifier(name)}`;
}

/**
 * Matches a column whose value is in a JSON array of strings, or in its placeholder. Only for columns that an
 * index leads to. PostgreSQL gets an array, because for a table made from the list it assumes a hundred rows,
 * and reads thousands of rows to find one.
 */
export function isAmong(column: SQLWrapper, values: readonly string[] | Placeholder): SQL {
  const list = Array.isArray(values) ? JSON.stringify(values) : values;
  return isPostgres
    ? sql`${column} = any(array(select json_array_elements_text(cast(${list} as json))))`
    : sql`${column} in (select value from json_each(${list}))`;
}

/**
 * Joins a column of all rows into one comma-separated text; transferring it per row costs many times as much. Null
 * becomes an empty string. Rows keep the order of an ordered subquery.
 */
export const commaSeparated = (column: SQLWrapper): SQL<string | null> =>
  isPostgres
    ? sql`string_agg(coalesce(cast(${column} as text), ''), ',')`
    : sql`group_concat(coalesce(${column}, ''))`;

/**
 * A table for a cross join, of which the rows that match are looked up for each row before it; repeat the condition where
 * SQLite looks for it. PostgreSQL assumes that a third of a table matches a comparison, and would rather read all of it.
 */
export const lookedUp = <T extends SQLWrapper>(table: T, condition: SQL): T =>
  pick(sql`lateral (select * from ${table} where ${condition} offset 0) as ${table}` as never, table);

/** A number in a select list: PostgreSQL cannot infer the type of a bare parameter there. */
export const bigint = (value: number): SQL => sql`cast(${value} as bigint)`;

/** A number placeholder, cast for the same reason. */
export const numberAt = (name: string): SQL => sql`cast(${sql.placeholder(name)} as bigint)`;

/**
 * A placeholder for a value of this column's type, in a select list that is inserted. Cast for the same reason; SQLite
 * would cast it again for each row.
 */
export const valueAt = (column: Column, name: string): SQL =>
  isPostgres
    ? sql`cast(${sql.placeholder(name)} as ${sql.raw(column.getSQLType())})`
    : sql`${sql.placeholder(name)}`;

/** The smaller of two values: `least` on PostgreSQL, `min` on SQLite. */
export const lesser = (a: unknown, b: unknown): SQL =>
  isPostgres ? sql`least(${a}, ${b})` : sql`min(${a}, ${b})`;

/**
 * The number of decisions that one transaction makes. On PostgreSQL they share its trips to the server; SQLite has a
 * single writer, for which everybody else would wait.
 */
export const perTransaction = (max: number): number => (isPostgres ? max : 1);

/** Skips rows locked by another transaction on PostgreSQL; SQLite has a single writer and nothing to skip. */
export function skipLocked<Q extends { for(strength: 'update', config: { skipLocked: true }): unknown }>(
  query: Q,
): Q {
  return isPostgres ? (query.for('update', { skipLocked: true }) as Q) : query;
}

/**
 * Locks the rows that a query finds until the transaction ends, in the query's order, on PostgreSQL: writers of several
 * rows lock them in one order, so that no two wait for each other. SQLite has a single writer.
 */
export function locking<Q extends { for(strength: 'no key update'): unknown }>(query: Q): Q {
  return isPostgres ? (query.for('no key update') as Q) : query;
}

/** The database's own time in milliseconds: one clock for all processes. */
export const databaseTime: SQL<number> = isPostgres
  ? sql`cast(extract(epoch from clock_timestamp()) * 1000 as bigint)`
  : sql`cast(unixepoch('subsec') * 1000 as integer)`;

/**
 * True if the transaction now holds the lock of this name alone, or together with other sharers, until it ends. It never
 * waits: false if another transaction is in the way. SQLite has a single writer and needs no such lock.
 */
export const locksNow = (name: SQLWrapper, way: 'alone' | 'shared'): SQL =>
  isPostgres
    ? sql`${sql.raw(way === 'alone' ? 'pg_try_advisory_xact_lock' : 'pg_try_advisory_xact_lock_shared')}(hashtextextended(${name}, 0))`
    : sql`true`;
