// Rows of either database as lines of PostgreSQL's text format for COPY, and a sum over them that shows
// whether both have the same.
import { hash } from 'node:crypto';

/** A column as PostgreSQL declares it. */
export interface ColumnFacts {
  name: string;
  type: string;
}
export interface TableFacts {
  name: string;
  columns: readonly ColumnFacts[];
}

/** The number of rows added, and a sum of their digests, which does not depend on their order. */
export interface Tally {
  rows: number;
  digest: string;
}

/** Characters that COPY writes with a backslash; it cannot write NUL at all. */
const special = /[\\\b\f\n\r\t\v\0]/;
const escapes: Readonly<Record<string, string>> = {
  '\\': '\\\\',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
};
const unescapes = new Map(Object.entries(escapes).map(([plain, written]) => [written, plain]));
const NULL = '\\N';

const escaped = (text: string): string =>
  special.test(text) ? text.replace(new RegExp(special, 'g'), (found) => escapes[found] ?? found) : text;
const unescaped = (field: string): string =>
  field.includes('\\') ? field.replace(/\\./g, (found) => unescapes.get(found) ?? found) : field;

/** Keys in one order, and nothing between them: PostgreSQL stores jsonb in an order and a spelling of its own. */
function ordered(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(ordered);
  if (value === null || typeof value !== 'object') return value;
  const keys = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(keys.map(([key, each]) => [key, ordered(each)]));
}
const sameJson = (text: string): string => JSON.stringify(ordered(JSON.parse(text)));

const placesOf = ({ columns }: TableFacts, type: string): number[] =>
  columns.flatMap((column, place) => (column.type === type ? [place] : []));

/** Writes the rows of an SQLite table as lines. Throws if a text contains NUL, which PostgreSQL does not store. */
export function lineWriter(table: TableFacts): (row: readonly unknown[]) => string {
  const isBoolean = table.columns.map(({ type }) => type === 'boolean');
  const fieldOf = (value: unknown, place: number): string => {
    if (value === null) return NULL;
    if (isBoolean[place]) return value ? 't' : 'f';
    if (typeof value !== 'string') return String(value);
    if (value.includes('\0'))
      throw new Error(
        `${table.name}.${table.columns[place]?.name} contains a NUL character, which PostgreSQL does not store`,
      );
    return escaped(value);
  };
  return (row) => row.map(fieldOf).join('\t');
}

const SUM_BYTES = 6;
const SUM_LIMIT = 2 ** (8 * SUM_BYTES);

/** Adds up the lines of a table, whichever database wrote them. */
export function lineTally(table: TableFacts): { add(line: string): void; result(): Tally } {
  const jsonPlaces = placesOf(table, 'jsonb');
  const canonical = (line: string): string => {
    if (jsonPlaces.length === 0) return line;
    const fields = line.split('\t');
    for (const place of jsonPlaces) {
      const field = fields[place] ?? NULL;
      if (field !== NULL) fields[place] = escaped(sameJson(unescaped(field)));
    }
    return fields.join('\t');
  };
  let rows = 0;
  const sums = [0, 0, 0];
  return {
    add(line) {
      const digest = hash('sha256', canonical(line), 'buffer');
      for (const [place, sum] of sums.entries())
        sums[place] = (sum + digest.readUIntBE(place * SUM_BYTES, SUM_BYTES)) % SUM_LIMIT;
      rows += 1;
    },
    result: () => ({ rows, digest: sums.map((sum) => sum.toString(16)).join('.') }),
  };
}
