import { readdirSync } from 'node:fs';
import { getTableName, is, Table } from 'drizzle-orm';
import { database } from '#app/services/database.server.ts';
import { minute } from '#domain/time.ts';

type Row = Record<string, unknown>;
/** Every row of every table, by the table's name. */
export type Stored = Map<string, Row[]>;

const folder = new URL('../../../db/schema/', import.meta.url);

/** Every table of the product but the one that counts tries: it is there to change with each request. */
async function tables(): Promise<Table[]> {
  const modules = await Promise.all(
    readdirSync(folder).map((file) => import(/* @vite-ignore */ new URL(file, folder).href)),
  );
  const all = modules.flatMap((module) => Object.values(module as object)).filter((each) => is(each, Table));
  return all.filter((each) => getTableName(each) !== 'attempts');
}

/** All that is stored now. */
export async function stored(): Promise<Stored> {
  const { read } = await database();
  const found: Stored = new Map();
  for (const table of await tables())
    found.set(getTableName(table), (await read.select().from(table as never)) as Row[]);
  return found;
}

/** Who acted and what else a value may name: the text, and the word for it. */
export type Names = ReadonlyMap<string, string>;

const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
const isSecret = /hash$|sealed$|code$|^token$|^seed$/i;
/** Shorter words might be a part of something else by chance. */
const wordLength = 8;
/** Moments further off than this were chosen by somebody and are compared as they are. */
const nearMs = 60 * 24 * 60 * minute;

function plain(value: unknown, column: string, names: Names, atMs: number): unknown {
  if (typeof value === 'number')
    return Math.abs(value - atMs) < nearMs ? `${Math.round((value - atMs) / minute)} min` : value;
  if (Array.isArray(value)) return value.map((each) => plain(each, column, names, atMs));
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(
      Object.entries(value).map(([name, each]) => [name, plain(each, name, names, atMs)]),
    );
  if (typeof value !== 'string') return value;
  let text = names.has(value) ? `<${names.get(value)}>` : value;
  for (const [word, name] of names) if (word.length >= wordLength) text = text.replaceAll(word, `<${name}>`);
  if (isSecret.test(column) && !text.includes('<')) return '<secret>';
  // Numbers of fixtures and of Steam differ from one call to the next.
  return text
    .replaceAll(uuid, '<id>')
    .replaceAll(/\d{3,}/g, '<number>')
    .replaceAll(/(bot|person)[- ]\d+/gi, '$1');
}

/**
 * What came and went between two looks, as sorted lines that are the same for two people who did the same: names stand
 * for what is known, moments are minutes from `atMs`, and other ids and secrets are only said to be there.
 */
export function changes(before: Stored, after: Stored, names: Names, atMs: number): string[] {
  const lines: string[] = [];
  for (const [table, rows] of after) {
    const [was, is] = [before.get(table) ?? [], rows].map(
      (all) => new Set(all.map((row) => JSON.stringify(row))),
    );
    const write = (sign: string, from?: Set<string>, but?: Set<string>) => {
      for (const row of from ?? [])
        if (!but?.has(row)) {
          const told = Object.entries(JSON.parse(row) as Row).map(
            ([column, value]) => `${column}=${JSON.stringify(plain(value, column, names, atMs))}`,
          );
          lines.push(`${sign} ${table}: ${told.join(', ')}`);
        }
    };
    write('-', was, is);
    write('+', is, was);
  }
  return lines.sort();
}
