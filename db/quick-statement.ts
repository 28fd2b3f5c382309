import { Column, getTableName, is, Param, Placeholder, SQL } from 'drizzle-orm';

type Values = Record<string, unknown>;
type Convert = (value: unknown) => unknown;
type Field = Column | SQL | SQL.Aliased;

/** What drizzle knows of the rows that a prepared statement answers with. */
interface Answering {
  fields?: { path: string[]; field: Field }[];
  joinsNotNullableMap?: Record<string, boolean>;
  customResultMapper?: unknown;
}

/** The parts that a statement of drizzle's is made of on SQLite. */
interface SqliteStatement extends Answering {
  stmt: { run(...values: unknown[]): unknown; raw(): { all(...values: unknown[]): unknown[][] } };
  query: { params: unknown[] };
  executeMethod: 'run' | 'all' | 'get';
}

/** The same on PostgreSQL, by the driver for a server. */
interface PostgresStatement extends Answering {
  client: { query(query: object, values: unknown[]): Promise<{ rows: unknown[][] }> };
  params: unknown[];
  rawQueryConfig: object;
  queryConfig: { text?: string };
}

/**
 * drizzle asks of every value of every call what it is, which costs more than most of our statements. What a prepared
 * one binds and what it answers is settled when it is built: this looks once. Null: drizzle runs it as ever, because it
 * answers deeply nested rows or belongs to another driver.
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
  if (!fields) return (values) => client.query(rawQueryConfig, bind(values));
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
      // drizzle encodes null too when it comes by a placeholder: to SQLite a boolean would be false.
      bound[place] = encode && value !== null ? encode(value) : value;
    }
    return bound;
  };
}

/** One bound parameter: a named value, encoded or as it is, or a constant. */
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

/** How a column's value is written for the driver; null: as it is. */
export function encodingOf(encoder: { mapToDriverValue: Convert }): Convert | null {
  return asItIs.includes(encoder.mapToDriverValue) ? null : (value) => encoder.mapToDriverValue(value);
}

/** How it is read from the driver; null: as it is. */
function decodingOf(field: Field): Convert | null {
  const source = is(field, Column) || is(field, SQL) ? field : field.sql;
  const decoder = (is(source, Column) ? source : (source as unknown as { decoder: unknown }).decoder) as {
    mapFromDriverValue: Convert;
  };
  return asItIs.includes(decoder.mapFromDriverValue) ? null : (value) => decoder.mapFromDriverValue(value);
}

/** Makes rows of drizzle's shape out of those that the driver answers; null where they are nested deeper than once. */
function readerOf({ fields, joinsNotNullableMap }: Answering): ((row: unknown[]) => Values) | null {
  if (!fields || fields.some(({ path }) => path.length > 2)) return null;
  const names = [...new Set(fields.flatMap(({ path }) => (path.length === 2 ? [path[0] ?? ''] : [])))];
  const groups = names.map((name) => ({ name, decider: deciderOf(name, fields, joinsNotNullableMap) }));
  const columns = fields.map(({ path, field }) => ({
    group: path.length === 2 ? names.indexOf(path[0] ?? '') : -1,
    key: path.at(-1) ?? '',
    decode: decodingOf(field),
  }));
  return (row) => {
    const result: Values = {};
    const nested: (Values | null)[] = [];
    for (const { name, decider } of groups) {
      const part = decider !== null && row[decider] === null ? null : {};
      nested.push(part);
      result[name] = part;
    }
    for (let place = 0; place < columns.length; place++) {
      const { group, key, decode } = columns[place] as (typeof columns)[number];
      const target = group === -1 ? result : nested[group];
      if (!target) continue;
      const value = row[place];
      target[key] = value === null || !decode ? value : decode(value);
    }
    return result;
  };
}

/**
 * The place of the column that says whether a joined row is missing: the first, when the part holds columns of one table
 * that may be missing. Null: the part is always there.
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
