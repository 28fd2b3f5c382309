import { readdirSync } from 'node:fs';
import { getTableName, is, Table } from 'drizzle-orm';
import { database } from '#app/services/database.server.ts';
import { minute } from '#domain/kernel/time.ts';

type Row = Record<string, unknown>;
/** Every row of every table, by table name. */
export type Stored = Map<string, Row[]>;

const folder = new URL('../../../db/schema/', import.meta.url);

/** All tables except counters: of attempts, which change with every request, and of changes to several channels together. */
async function tables(): Promise<Table[]> {
  const modules = await Promise.all(
    readdirSync(folder).map((file) => import(/* @vite-ignore */ new URL(file, folder).href)),
  );
  const all = modules.flatMap((module) => Object.values(module as object)).filter((each) => is(each, Table));
  return all.filter((each) => !['attempts', 'channel_changes'].includes(getTableName(each)));
}

/** Everything in the database. */
export async function stored(): Promise<Stored> {
  const { read } = await database();
  const found: Stored = new Map();
  for (const table of await tables())
    found.set(getTableName(table), (await read.select().from(table as never)) as Row[]);
  return found;
}

/** Texts that values may contain, with a name for each. */
export type Names = ReadonlyMap<string, string>;

const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
/** Ids that Stripe gives. */
const stripeId = /\b(cus|cs_test|sub|sub_sched|si|in|evt)_\w+/g;
const isSecret =
  /hash$|sealed$|^subscription$|code$|bySession$|^heldBy$|^challenge$|^credentialId$|^publicKey$|^token$|^seed$|secret$/i;
/** Shorter texts might match by chance. */
const wordLength = 8;
/** Times further away than this are compared literally. */
const nearMs = 60 * 24 * 60 * minute;

function plain(value: unknown, column: string, names: Names, atMs: number): unknown {
  // It is counted in half minutes.
  if (column === 'lastStep') return '<step>';
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
  // Numbers of fixtures and Steam differ between calls.
  return text
    .replaceAll(uuid, '<id>')
    .replaceAll(stripeId, '<$1>')
    .replaceAll(/\d{3,}/g, '<number>')
    .replaceAll(/(bot|person)[- ]\d+/gi, '$1');
}

/**
 * The differences between two snapshots, as sorted lines that are equal for two users who did the same: known texts are
 * replaced by names, times by minutes from `atMs`, and other ids and secrets by placeholders.
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
          const reported = Object.entries(JSON.parse(row) as Row).map(
            ([column, value]) => `${column}=${JSON.stringify(plain(value, column, names, atMs))}`,
          );
          lines.push(`${sign} ${table}: ${reported.join(', ')}`);
        }
    };
    write('-', was, is);
    write('+', is, was);
  }
  return lines.sort();
}
