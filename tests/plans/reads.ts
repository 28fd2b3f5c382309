import { readdirSync, readFileSync } from 'node:fs';
import { getTableName } from 'drizzle-orm';
import type { Statement } from '#tests/support/statements.ts';
import { tables } from '#tests/support/tables.ts';

/** Tables that the operator alone makes longer, or that have a row for each of a few known things. */
const constant: ReadonlySet<string> = new Set([
  'alarms',
  'billing_switch',
  'bot_capacities',
  'bots',
  'channel_changes',
  'chat_accounts',
  'conduits',
  'leases',
  'long_rounds',
  'processes',
  'sending_stops',
  'sharers',
]);

/** All others grow with activity or users. Reading one of them whole gets slower over the years. */
const growing = tables.map(getTableName).filter((table) => !constant.has(table));

/** Partial indexes of nothing but the past. */
const ofThePast: ReadonlySet<string> = new Set(['rewards_ended_item', 'transfers_delivered_claims']);

export interface Read {
  module: string;
  table: string;
  /** The plan's step in the database's words. */
  step: string;
  sql: string;
}

/** The growing tables in a statement, by their aliases. */
export function growingNames(sql: string): Map<string, string> {
  const names = new Map(growing.filter((table) => sql.includes(`"${table}"`)).map((table) => [table, table]));
  for (const [, table = '', alias = ''] of sql.matchAll(/(?:from|join) "(\w+)" "(\w+)"/g))
    if (growing.includes(table)) names.set(alias, table);
  return names;
}

/** Partial indexes on a column that is null again once it is over: a freeze, a pause, the check of a waiting list. */
const ofPassingStates: ReadonlySet<string> = new Set([
  'rules_owner_frozen',
  'rules_resuming',
  'rules_reminding',
  'rules_to_check',
]);

/**
 * Partial indexes that hold only what exists now, and not the past: their predicate says more than that columns are not
 * null, or the column does not stay set.
 */
export function indexesOfThePresent(indexes: readonly { name: string; sql: string }[]): ReadonlySet<string> {
  const present = indexes.filter(({ name, sql }) => {
    const [, predicate = ''] = / where (.*)$/is.exec(sql) ?? [];
    const says = predicate.split(/ and /i).filter((each) => !/^\W*\w+\W* is not null\W*$/i.test(each));
    return ofPassingStates.has(name) || (predicate !== '' && says.length > 0 && !ofThePast.has(name));
  });
  return new Set(present.map(({ name }) => name));
}

/** Intended reads, by `module table`, each with its reason. */
export type Meant = Record<string, string>;

/** Unintended reads, and intended ones that no longer happen. */
export function judge(reads: readonly Read[], meant: Meant): { unmeant: string[]; idle: string[] } {
  const keys = new Set(reads.map(({ module, table }) => `${module} ${table}`));
  const unmeant = new Set(
    reads
      .filter(({ module, table }) => !(`${module} ${table}` in meant))
      .map(({ module, table, step }) => `${module} ${table}: ${step}`),
  );
  return { unmeant: [...unmeant].sort(), idle: Object.keys(meant).filter((key) => !keys.has(key)) };
}

/** Modules of the domain that build queries without a recorded statement. */
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
