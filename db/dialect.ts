// One schema and one set of queries for two databases. Everything is typed once, as PostgreSQL (the stricter
// of the two), and built by the core that this process runs on.
import { type Placeholder, type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import * as pg from 'drizzle-orm/pg-core';
import * as lite from 'drizzle-orm/sqlite-core';
import type { TableBuilder } from './table-types.ts';

/** A database address means PostgreSQL; without one the store is an SQLite file in the data folder. */
export const isPostgres = Boolean(process.env.DATABASE_URL || process.env.DATABASE_URL_FILE);

/** The module's one unsound step: SQLite's builder is presented with PostgreSQL's type. */
const pick = <T>(postgres: T, sqlite: unknown): T => (isPostgres ? postgres : (sqlite as T));

export const table = pick(pg.pgTable, lite.sqliteTable) as TableBuilder;
export const index = pick(pg.index, lite.index);
export const uniqueIndex = pick(pg.uniqueIndex, lite.uniqueIndex);
export const primaryKey = pick(pg.primaryKey, lite.primaryKey);
export const check = pick(pg.check, lite.check);
export const alias = pick(pg.alias, lite.alias);

// Only the column kinds that both stores hold exactly.
export const text = pick(
  (name: string) => pg.text(name),
  (name: string) => lite.text(name),
);
/** Text out of a closed list; the list lives beside the table and machines are checked against it. */
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

/** A column of a closed list, or an expression that stands for one. */
type Listed = SQL | { readonly enumValues: readonly string[] | undefined };
type NameIn<C extends Listed> = C extends { readonly enumValues: readonly (infer Name)[] } ? Name : string;

/** A name of ours as a literal. Nothing that somebody typed can end it. */
function literal(name: string): string {
  if (!/^\w+$/.test(name)) throw new Error(`not a name: ${name}`);
  return `'${name}'`;
}

/** `state = 'a'` as a literal: with a bound parameter SQLite could not use a partial index on that state. */
export const is = <C extends Listed>(column: C, name: NameIn<C>): SQL =>
  sql`${column} = ${sql.raw(literal(name))}`;

/** `state in ('a','b')`, as literals too: a bound parameter is refused in an index or a check of a migration. */
export function within<C extends Listed>(column: C, names: readonly NameIn<C>[]): SQL {
  const [first, ...others] = names;
  if (first === undefined) return sql`false`;
  // To SQLite a list of one is not the equality that an index on one state has.
  if (others.length === 0) return is(column, first);
  return sql`${column} in (${sql.raw(names.map(literal).join(', '))})`;
}

/**
 * A JSON array of arrays, or the place of its JSON in a prepared statement, as a table: one bound parameter for any
 * number of rows. `columns` names each column, in the order of the inner arrays, with its SQL type.
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
  const source = isPostgres ? sql`json_array_elements(cast(${rows} as json))` : sql`json_each(${rows})`;
  return sql`(select ${sql.join(list, sql`, `)} from ${source} as source_rows) as ${sql.identifier(name)}`;
}

/** A JSON array of texts, or the place of its JSON in a prepared statement, as a table of one column, `value`. */
export function listOf(values: readonly string[] | Placeholder, name: string): SQL {
  const list = Array.isArray(values) ? JSON.stringify(values) : values;
  const source = isPostgres
    ? sql`json_array_elements_text(cast(${list} as json)) as list_rows(value)`
    : sql`json_each(${list})`;
  return sql`(select value from ${source}) as ${sql.identifier(name)}`;
}

/**
 * A column of all rows in one text, with commas in between: a row by itself costs many times what it takes to read it.
 * Null stands as nothing. The rows of an ordered subquery keep their order.
 */
export const commaSeparated = (column: SQLWrapper): SQL<string | null> =>
  isPostgres
    ? sql`string_agg(coalesce(cast(${column} as text), ''), ',')`
    : sql`group_concat(coalesce(${column}, ''))`;

/** A number in a select list: PostgreSQL cannot infer the type of a bare parameter there. */
export const bigint = (value: number): SQL => sql`cast(${value} as bigint)`;

/** The place of a number in a prepared statement, for the same reason. */
export const numberAt = (name: string): SQL => sql`cast(${sql.placeholder(name)} as bigint)`;

/** `greatest`/`least` under the name each store gives them. */
export const lesser = (a: unknown, b: unknown): SQL =>
  isPostgres ? sql`least(${a}, ${b})` : sql`min(${a}, ${b})`;

/** A claimer's hint: PostgreSQL passes over rows that another holds; SQLite has one writer, so there is nothing to pass over. */
export function skipLocked<Q extends { for(strength: 'update', config: { skipLocked: true }): unknown }>(
  query: Q,
): Q {
  return isPostgres ? (query.for('update', { skipLocked: true }) as Q) : query;
}
