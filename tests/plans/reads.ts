import { readdirSync, readFileSync } from 'node:fs';
import type { Statement } from '#tests/support/statements.ts';

/** Tables that grow with what happens or with who comes. Whoever reads one of them whole slows down with the years. */
const growing = [
  'users',
  'twitch_accounts',
  'steam_accounts',
  'sessions',
  'channels',
  'rules',
  'items',
  'ledger_entries',
  'rewards',
  'redemptions',
  'draws',
  'transfers',
  'transfer_items',
  'transfer_steps',
  'watch_times',
  'watch_days',
  'watch_baselines',
  'qualifications',
  'follows',
  'subscribers',
  'events',
  'mails',
];

export interface Read {
  module: string;
  table: string;
  /** The step of the plan, as the store words it. */
  step: string;
  sql: string;
}

/** The growing tables that stand in a statement, by the names that they have there. */
export function growingNames(sql: string): Map<string, string> {
  const names = new Map(growing.filter((table) => sql.includes(`"${table}"`)).map((table) => [table, table]));
  for (const [, table = '', alias = ''] of sql.matchAll(/(?:from|join) "(\w+)" "(\w+)"/g))
    if (growing.includes(table)) names.set(alias, table);
  return names;
}

/**
 * Of indexes with a predicate those that hold what is there now, and not what ever was: their predicate says more than
 * that a column has a value.
 */
export function indexesOfThePresent(indexes: readonly { name: string; sql: string }[]): ReadonlySet<string> {
  const present = indexes.filter(
    ({ sql }) => / where /i.test(sql) && !/ where \W*\w+\W* is not null\W*$/i.test(sql),
  );
  return new Set(present.map(({ name }) => name));
}

/** Reads of a whole table that are meant, by `module table`, each with its reason. */
export type Meant = Record<string, string>;

/** What reads a table whole and is not meant to, and what is meant and does not happen. */
export function judge(reads: readonly Read[], meant: Meant): { unmeant: string[]; idle: string[] } {
  const keys = new Set(reads.map(({ module, table }) => `${module} ${table}`));
  const unmeant = new Set(
    reads
      .filter(({ module, table }) => !(`${module} ${table}` in meant))
      .map(({ module, step }) => `${module}: ${step}`),
  );
  return { unmeant: [...unmeant].sort(), idle: Object.keys(meant).filter((key) => !keys.has(key)) };
}

/** The modules of the domain that build queries and of which none was noted. */
export function unseenModules(statements: readonly Statement[]): string[] {
  const seen = new Set(statements.map(({ module }) => module));
  return readdirSync('domain', { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => `domain/${name}`)
    .filter((module) => buildsQueries(readFileSync(module, 'utf8')) && !seen.has(module))
    .sort();
}

const buildsQueries = (source: string): boolean =>
  /from '#db\//.test(source) &&
  /\b(?:tx|q|read|from|to)\s*\.\s*(?:select|selectDistinct|insert|update|delete|with|\$count)\(/.test(source);
