import { readdirSync, readFileSync } from 'node:fs';
import type { Statement } from '#tests/support/statements.ts';

/** Tables that grow with activity or users. Reading one of them whole gets slower over the years. */
const growing = [
  'users',
  'twitch_accounts',
  'steam_accounts',
  'sessions',
  'authenticators',
  'passkeys',
  'passkey_challenges',
  'recovery_codes',
  'pending_sign_ins',
  'channels',
  'rules',
  'items',
  'ledger_entries',
  'rewards',
  'redemptions',
  'draws',
  'pool_changes',
  'transfers',
  'transfer_items',
  'transfer_steps',
  'watch_times',
  'watch_days',
  'channel_days',
  'watch_baselines',
  'qualifications',
  'follows',
  'subscribers',
  'events',
  'mails',
  'stripe_customers',
  'subscriptions',
  'trials',
  'checkouts',
  'stripe_events',
  'unknown_assets',
  'custody_drifts',
];

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

/**
 * Partial indexes that hold only what exists now, and not the past: their predicate says more than that a column is not
 * null.
 */
export function indexesOfThePresent(indexes: readonly { name: string; sql: string }[]): ReadonlySet<string> {
  const present = indexes.filter(
    ({ sql }) => / where /i.test(sql) && !/ where \W*\w+\W* is not null\W*$/i.test(sql),
  );
  return new Set(present.map(({ name }) => name));
}

/** Intended reads of a whole table, by `module table`, each with its reason. */
export type Meant = Record<string, string>;

/** Unintended reads of whole tables, and intended ones that no longer happen. */
export function judge(reads: readonly Read[], meant: Meant): { unmeant: string[]; idle: string[] } {
  const keys = new Set(reads.map(({ module, table }) => `${module} ${table}`));
  const unmeant = new Set(
    reads
      .filter(({ module, table }) => !(`${module} ${table}` in meant))
      .map(({ module, step }) => `${module}: ${step}`),
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
