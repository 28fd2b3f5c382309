import { Column, is, Param, Placeholder, SQL } from 'drizzle-orm';

interface Decoder {
  mapFromDriverValue(value: unknown): unknown;
}
type Field = Column | SQL | SQL.Aliased;

/** The parts that a statement of drizzle's is made of on SQLite. */
interface SqliteStatement {
  stmt: { run(...values: unknown[]): unknown; raw(): { all(...values: unknown[]): unknown[][] } };
  query: { params: unknown[] };
  fields?: { path: string[]; field: Field }[];
  customResultMapper?: unknown;
  executeMethod: 'run' | 'all' | 'get';
}

/**
 * drizzle asks of every value of every call what it is, which costs more than most of our statements. What a prepared
 * one binds and what it answers is settled when it is built: this looks once. Null: it answers nested rows, and drizzle
 * runs it as ever.
 */
export function quickStatement(prepared: object): ((values: Record<string, unknown>) => unknown) | null {
  const { stmt, query, fields, customResultMapper, executeMethod } = prepared as SqliteStatement;
  if (customResultMapper || fields?.some(({ path }) => path.length !== 1)) return null;
  const binders = query.params.map(binderOf);
  const bind = (values: Record<string, unknown>) => binders.map((binder) => binder(values));
  if (executeMethod === 'run') return (values) => stmt.run(...bind(values));
  if (!fields || executeMethod !== 'all') return null;
  const columns = fields.map(({ path, field }) => ({ key: path[0] ?? '', decoder: decoderOf(field) }));
  return (values) =>
    stmt
      .raw()
      .all(...bind(values))
      .map((row) => {
        const result: Record<string, unknown> = {};
        for (const [place, { key, decoder }] of columns.entries()) {
          const value = row[place];
          result[key] = value === null ? null : decoder.mapFromDriverValue(value);
        }
        return result;
      });
}

function binderOf(param: unknown): (values: Record<string, unknown>) => unknown {
  if (is(param, Placeholder)) return (values) => givenOf(values, param.name);
  if (is(param, Param) && is(param.value, Placeholder)) {
    const { encoder } = param;
    const { name } = param.value;
    return (values) => encoder.mapToDriverValue(givenOf(values, name));
  }
  return () => param;
}

function givenOf(values: Record<string, unknown>, name: string): unknown {
  const value = values[name];
  if (value === undefined && !(name in values)) throw new Error(`no value for the placeholder ${name}`);
  return value;
}

function decoderOf(field: Field): Decoder {
  if (is(field, Column)) return field;
  const source = is(field, SQL) ? field : field.sql;
  return (source as unknown as { decoder: Decoder }).decoder;
}
