import { sql } from 'drizzle-orm';
import type { Reader } from '#db/database.ts';
import { isPostgres } from '#db/dialect.ts';
import type { RawConnection } from './seal-stored.ts';
import { SEALED, type Seals } from './sealed-text.ts';
import { StoreRefused } from './store-refused.ts';

interface KeyFault {
  what: string;
  why: string;
  remedy: string;
}
const remedy = 'Set the ENCRYPTION_KEY of this instance, or restore `secrets` of its data folder.';
const why = 'Nothing that is stored sealed can be read: tokens, trade links and the seeds of draws.';

/**
 * The messages about a key that is not the store's, used by migrations, by web and bot at their start, and by
 * doctor.
 */
export const keyFaults = {
  missing: { what: 'There is a database, but no encryption key to it.', why, remedy },
  wrong: { what: 'What is stored was encrypted with another key.', why, remedy },
} as const satisfies Record<string, KeyFault>;

export const wordsOf = ({ what, why, remedy }: KeyFault): string => `${what} ${why} ${remedy}`;

/** The prefix of the vault's texts. */
const VAULT = 'v1.';

/** The places of sealed text, and its purpose in each. Not every schema that is upgraded has all of them. */
const sources: readonly {
  table: string;
  id: string;
  column: string;
  begins: string;
  purpose(id: string): string;
}[] = [
  { table: 'rules', id: 'id', column: 'seed', begins: SEALED, purpose: () => 'rules.seed' },
  {
    table: 'steam_accounts',
    id: 'steam_id',
    column: 'trade_token',
    begins: SEALED,
    purpose: () => 'steam_accounts.trade_token',
  },
  {
    table: 'authenticators',
    id: 'user_id',
    column: 'secret',
    begins: SEALED,
    purpose: () => 'authenticators.secret',
  },
  {
    table: 'overlays',
    id: 'user_id',
    column: 'overlay_secret',
    begins: SEALED,
    purpose: () => 'overlays.overlay_secret',
  },
  { table: 'bots', id: 'id', column: 'refresh_token_sealed', begins: VAULT, purpose: (id) => `bot:${id}` },
  {
    table: 'chat_accounts',
    id: 'twitch_id',
    column: 'refresh_token_sealed',
    begins: VAULT,
    purpose: (id) => `chat:${id}`,
  },
  {
    table: 'twitch_accounts',
    id: 'twitch_id',
    column: 'refresh_token_sealed',
    begins: VAULT,
    purpose: (id) => `twitch:${id}`,
  },
];

/**
 * Number of rows of each source that are tried, the newest rules among them: one damaged token alone proves
 * nothing about the key.
 */
const MAX_ROWS_PER_SOURCE = 20;

/** The names of all tables. */
const tablesOf = {
  postgres:
    'select tablename::text as id, null::text as text from pg_tables where schemaname = current_schema()',
  sqlite: `select name as id, null as text from sqlite_master where type = 'table'`,
};

/** A stored value with the id of its row. */
export type SampleRow = { id: string; text: string | null };

/**
 * Returns whether the key opens at least one of some sealed values, tried in each place. A store without any
 * accepts every key.
 */
export async function isKeyOf(
  dialect: keyof typeof tablesOf,
  run: (query: string) => SampleRow[] | Promise<SampleRow[]>,
  seals: Seals,
): Promise<boolean> {
  let isAnySealed = false;
  const known = new Set((await run(tablesOf[dialect])).map((row) => row.id));
  for (const { table, id, column, begins, purpose } of sources) {
    if (!known.has(table)) continue;
    const rows = await run(
      `select ${id} as id, ${column} as text from ${table} order by ${id} desc limit ${MAX_ROWS_PER_SOURCE}`,
    );
    for (const row of rows) {
      if (!row.text?.startsWith(begins)) continue;
      isAnySealed = true;
      if (opens(seals, row.text.replace(SEALED, ''), purpose(row.id))) return true;
    }
  }
  return !isAnySealed;
}

function opens(seals: Seals, text: string, purpose: string): boolean {
  try {
    seals.open(text, purpose);
    return true;
  } catch {
    return false;
  }
}

/** Like `isKeyOf`, for an open database. */
export const isKeyOfDatabase = ({ read }: { read: Reader }, seals: Seals): Promise<boolean> =>
  isKeyOf(
    isPostgres ? 'postgres' : 'sqlite',
    async (query) =>
      read
        .select({ id: sql<string>`sample.id`, text: sql<string | null>`sample.text` })
        .from(sql`(${sql.raw(query)}) as sample`),
    seals,
  );

/** Throws the words for the operator if the store's sealed values were sealed with another key. */
export async function requireKey({ dialect, run }: RawConnection, seals: Seals): Promise<void> {
  if (!(await isKeyOf(dialect, async (query) => (await run(query, [])) as SampleRow[], seals)))
    throw new StoreRefused(wordsOf(keyFaults.wrong));
}
