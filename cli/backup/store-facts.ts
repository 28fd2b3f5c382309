import { readMigrationFiles } from 'drizzle-orm/migrator';
import { openSqlite, type Reader } from '#db/database.ts';
import { isKeyOf, type SampleRow } from '#db/engine/prove-key.ts';
import type { Seals } from '#db/engine/sealed-text.ts';
import { loadSqliteDriver } from '#db/engine/sqlite-driver.ts';
import { countRequired, migrationsFolder } from '#db/migrate.ts';
import { items, ledgerEntries } from '#db/schema/item.ts';
import { rewards } from '#db/schema/reward.ts';
import { transfers } from '#db/schema/transfer.ts';
import { users } from '#db/schema/user.ts';
import { auditLedger, type Drift } from '#domain/custody/audit-ledger.ts';

/** Row counts of the most important tables. */
export type StoreCounts = Record<'items' | 'ledgerEntries' | 'rewards' | 'transfers' | 'users', number>;

/** Number of migrations that this build knows. */
export const knownMigrations = (): number =>
  readMigrationFiles({ migrationsFolder: migrationsFolder.sqlite }).length;

/** Counts the migrations of an SQLite file that this build must know; an empty one has none. */
export async function migrationsOf(file: string): Promise<number> {
  const BetterSqlite = await loadSqliteDriver();
  const connection = new BetterSqlite(file, { readonly: true });
  try {
    const table = connection.prepare("select 1 from sqlite_master where name = '__drizzle_migrations'").get();
    if (!table) return 0;
    return countRequired(
      'sqlite',
      connection.prepare('select * from __drizzle_migrations').all() as Record<string, unknown>[],
    );
  } finally {
    connection.close();
  }
}

/** A backup manifest's facts about its database. */
export interface StoreFacts {
  /** Number of migrations that it has had. */
  migrations: number;
  counts: StoreCounts;
  /** The items that differ from the ledger. */
  drifts: Drift[];
}

/** Reads the facts about an open database. */
export async function factsIn(q: Reader): Promise<Omit<StoreFacts, 'migrations'>> {
  const counts = {
    items: await q.$count(items),
    ledgerEntries: await q.$count(ledgerEntries),
    rewards: await q.$count(rewards),
    transfers: await q.$count(transfers),
    users: await q.$count(users),
  };
  return { counts, drifts: (await auditLedger(q)).drifts };
}

async function inSqlite<T>(file: string, ask: (q: Reader) => Promise<T>): Promise<T> {
  const db = await openSqlite(file);
  try {
    return await ask(db.read);
  } finally {
    await db.close();
  }
}

/** Reads the facts about an SQLite file. */
export const factsOf = async (file: string): Promise<StoreFacts> => ({
  migrations: await migrationsOf(file),
  ...(await inSqlite(file, factsIn)),
});

type Known = Pick<StoreFacts, 'counts' | 'drifts'>;

/**
 * Returns how a restored database differs from the facts recorded when it was backed up; null if it does not.
 */
export async function differenceOf(q: Reader, { counts, drifts: known }: Known): Promise<string | null> {
  const found = await factsIn(q);
  for (const [table, count] of Object.entries(counts))
    if (found.counts[table as keyof StoreCounts] !== count)
      return `it has ${found.counts[table as keyof StoreCounts]} ${table} instead of ${count}`;
  const pathOf = ({ itemId, holder, rebuilt }: Drift) => JSON.stringify([itemId, holder, rebuilt]);
  const knownPaths = new Set(known.map(pathOf));
  const unknown = found.drifts.filter((drift) => !knownPaths.has(pathOf(drift)));
  const [drift] = unknown;
  return drift
    ? `the ledger does not lead to the holder of ${unknown.length} items, such as ${drift.itemId}`
    : null;
}

/**
 * Returns the fault in a restored SQLite file: in its pages, its references, its counts, or a difference from
 * its ledger that was not known when the backup was made. Null if there is none.
 */
export const faultOfStore = async (file: string, known: Known): Promise<string | null> =>
  (await damageOf(file)) ?? (await inSqlite(file, (q) => differenceOf(q, known)));

/** Returns whether a key opens the sealed values in an SQLite file. */
export async function isStoreUnder(seals: Seals, file: string): Promise<boolean> {
  const BetterSqlite = await loadSqliteDriver();
  const connection = new BetterSqlite(file, { readonly: true });
  try {
    return await isKeyOf('sqlite', (query) => connection.prepare(query).all() as SampleRow[], seals);
  } finally {
    connection.close();
  }
}

/** Returns the damage that SQLite finds in a file; null if there is none. */
export async function damageOf(file: string): Promise<string | null> {
  const BetterSqlite = await loadSqliteDriver();
  const connection = new BetterSqlite(file, { readonly: true });
  try {
    const whole = connection.pragma('integrity_check(1)', { simple: true });
    if (whole !== 'ok') return `SQLite finds it damaged: ${whole}`;
    const broken = connection.pragma('foreign_key_check') as unknown[];
    return broken.length > 0 ? `${broken.length} references lead nowhere` : null;
  } catch (error) {
    return `SQLite cannot read it: ${(error as Error).message}`;
  } finally {
    connection.close();
  }
}
