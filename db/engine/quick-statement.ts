import { Column, getTableName, is, Param, Placeholder, SQL } from 'drizzle-orm';
import { sendWrite } from './sent-writes.ts';

type Values = Record<string, unknown>;
type Convert = (value: unknown) => unknown;
type Field = Column | SQL | SQL.Aliased;

/** drizzle's internal description of a prepared statement's result rows. */
interface Answering {
  fields?: { path: string[]; field: Field }[];
  joinsNotNullableMap?: Record<string, boolean>;
  customResultMapper?: unknown;
}

/** The internals of a drizzle statement on SQLite. */
interface SqliteStatement extends Answering {
  stmt: { run(...values: unknown[]): unknown; raw(): { all(...values: unknown[]): unknown[][] } };
  query: { params: unknown[] };
  executeMethod: 'run' | 'all' | 'get';
}

/** A prepared statement on PostgreSQL with node-postgres. */
interface PostgresStatement extends Answering {
  client: { query(query: object, values: unknown[]): Promise<{ rows: unknown[][] }> };
  params: unknown[];
  rawQueryConfig: object;
  queryConfig: { text?: string };
}

/**
 * drizzle inspects every value on every call, which costs more than most of our statements. A prepared statement's
 * parameters and columns never change, so this inspects them once. Returns null when drizzle has to run the statement
 * itself: deeply nested rows or another driver.
 */
export function quickStatement(prepared: object): ((values: Values) => unknown) | null {
  if ((prepared as Answering).customResultMapper) return null;
  if ('stmt' in prepared) return quickOnSqlite(prepared as SqliteStatement);
  const isOfServer = (prepared as PostgresStatement).queryConfig?.text !== undefined;
  return isOfServer ? quickOnPostgres(prepared as PostgresStatement) : null;
}

function quickOnSqlite(prepared: SqliteStatement): ((values: Values) => unknown) | null {
  const { stmt, query, executeMethod } = prepared;
  const bind = binderOf(query.params);
  if (executeMethod === 'run') return (values) => stmt.run(...bind(values));
  const read = executeMethod === 'all' ? readerOf(prepared) : null;
  return (
    read &&
    ((values) =>
      stmt
        .raw()
        .all(...bind(values))
        .map(read))
  );
}

function quickOnPostgres(prepared: PostgresStatement): ((values: Values) => unknown) | null {
  const { client, params, rawQueryConfig, queryConfig, fields } = prepared;
  const bind = binderOf(params);
  if (!fields)
    return (values) => {
      const bound = bind(values);
      return sendWrite(client, rawQueryConfig, bound) ? undefined : client.query(rawQueryConfig, bound);
    };
  const read = readerOf(prepared);
  return read && (async (values) => (await client.query(queryConfig, bind(values))).rows.map(read));
}

function binderOf(params: readonly unknown[]): (values: Values) => unknown[] {
  const places = params.map(placeOf);
  const constants = places.map(({ constant }) => constant);
  const named = places.flatMap(({ name, encode }, place) =>
    name === undefined ? [] : [{ name, encode, place }],
  );
  return (values) => {
    const bound = constants.slice();
    for (const { name, encode, place } of named) {
      const value = values[name];
      if (value === undefined && !(name in values)) throw new Error(`no value for the placeholder ${name}`);
      // drizzle would encode a null placeholder too; on SQLite a null boolean would become false.
      bound[place] = encode && value !== null ? encode(value) : value;
    }
    return bound;
  };
}

/** A bound parameter: a named value with an optional encoder, or a constant. */
interface Place {
  name?: string;
  encode?: Convert | null;
  constant?: unknown;
}

function placeOf(param: unknown): Place {
  if (is(param, Placeholder)) return { name: param.name };
  if (is(param, Param) && is(param.value, Placeholder))
    return { name: param.value.name, encode: encodingOf(param.encoder) };
  return { constant: param };
}

const asItIs: Convert[] = [Column.prototype.mapToDriverValue, Column.prototype.mapFromDriverValue];

/** The encoder for a column's driver value; null if it is passed unchanged. */
export function encodingOf(encoder: { mapToDriverValue: Convert }): Convert | null {
  return asItIs.includes(encoder.mapToDriverValue) ? null : (value) => encoder.mapToDriverValue(value);
}

/** The decoder for a column's driver value; null if it is passed unchanged. */
function decodingOf(field: Field): Convert | null {
  const source = is(field, Column) || is(field, SQL) ? field : field.sql;
  const decoder = (is(source, Column) ? source : (source as unknown as { decoder: unknown }).decoder) as {
    mapFromDriverValue: Convert;
  };
  return asItIs.includes(decoder.mapFromDriverValue) ? null : (value) => decoder.mapFromDriverValue(value);
}

/**
 * Returns a function that builds drizzle's row objects from raw rows; null if they are nested more than one level
 * deep.
 */
function readerOf({ fields, joinsNotNullableMap }: Answering): ((row: unknown[]) => Values) | null {
  if (!fields || fields.some(({ path }) => path.length > 2)) return null;
  const places = fields.map(({ path, field }, place) => ({ path, place, decode: decodingOf(field) }));
  const top = partOf(places.filter(({ path }) => path.length === 1));
  const names = [...new Set(fields.flatMap(({ path }) => (path.length === 2 ? [path[0] ?? ''] : [])))];
  const groups = names.map((name) => ({
    name,
    decider: deciderOf(name, fields, joinsNotNullableMap),
    read: partOf(places.filter(({ path }) => path.length === 2 && path[0] === name)),
  }));
  return (row) => {
    const result = top(row);
    for (const { name, decider, read } of groups)
      result[name] = decider !== null && row[decider] === null ? null : read(row);
    return result;
  };
}

/** Returns a function that builds one object from a raw row. Filling a copy is faster than adding one key after another. */
function partOf(places: readonly { path: string[]; place: number; decode: Convert | null }[]) {
  const columns = places.map(({ path, place, decode }) => ({ key: path.at(-1) ?? '', place, decode }));
  const empty: Values = Object.fromEntries(columns.map(({ key }) => [key, null]));
  return (row: unknown[]): Values => {
    const part = { ...empty };
    for (const { key, place, decode } of columns) {
      const value = row[place];
      part[key] = value === null || !decode ? value : decode(value);
    }
    return part;
  };
}

/**
 * The index of the column that shows whether a joined row is missing: the group's first, if all its columns belong to
 * one nullable table. Null if the group is always present.
 */
function deciderOf(
  name: string,
  fields: readonly { path: string[]; field: Field }[],
  joinsNotNullable: Record<string, boolean> | undefined,
): number | null {
  const columns = fields.flatMap(({ path, field }, place) =>
    path.length === 2 && path[0] === name && is(field, Column)
      ? [{ place, table: getTableName(field.table) }]
      : [],
  );
  const [first] = columns;
  if (!first || !joinsNotNullable || joinsNotNullable[first.table]) return null;
  return columns.every(({ table }) => table === first.table) ? first.place : null;
}
