import { readMigrationFiles } from 'drizzle-orm/migrator';
import { openSqlite } from '#db/database.ts';
import { migrationsFolder } from '#db/migrate.ts';
import { items, ledgerEntries } from '#db/schema/item.ts';
import { rewards } from '#db/schema/reward.ts';
import { transfers } from '#db/schema/transfer.ts';
import { users } from '#db/schema/user.ts';
import { loadSqliteDriver } from '#db/sqlite-driver.ts';
import { auditLedger, type Drift } from '#domain/custody/audit-ledger.ts';

/** How many rows the tables that matter most have. */
export type StoreCounts = Record<'items' | 'ledgerEntries' | 'rewards' | 'transfers' | 'users', number>;

/** How many migrations this build knows. */
export const knownMigrations = (): number =>
  readMigrationFiles({ migrationsFolder: migrationsFolder.sqlite }).length;

/** How many migrations an SQLite file has had; an empty one none. */
export async function migrationsOf(file: string): Promise<number> {
  const BetterSqlite = await loadSqliteDriver();
  const connection = new BetterSqlite(file, { readonly: true });
  try {
    const table = connection.prepare("select 1 from sqlite_master where name = '__drizzle_migrations'").get();
    if (!table) return 0;
    return connection.prepare('select count(*) from __drizzle_migrations').pluck().get() as number;
  } finally {
    connection.close();
  }
}

export async function countsOf(file: string): Promise<StoreCounts> {
  const database = await openSqlite(file);
  try {
    const q = database.read;
    return {
      items: await q.$count(items),
      ledgerEntries: await q.$count(ledgerEntries),
      rewards: await q.$count(rewards),
      transfers: await q.$count(transfers),
      users: await q.$count(users),
    };
  } finally {
    await database.close();
  }
}

/** The items of a store that differ from its ledger. */
export async function driftsOf(file: string): Promise<Drift[]> {
  const database = await openSqlite(file);
  try {
    return (await auditLedger(database.read)).drifts;
  } finally {
    await database.close();
  }
}

/**
 * What is wrong with a restored store: its pages, its references, its counts, or a difference from its ledger that was
 * not known when the backup was made. Null: nothing.
 */
export async function faultOfStore(
  file: string,
  { counts, drifts: known }: { counts: StoreCounts; drifts: readonly Drift[] },
): Promise<string | null> {
  const damage = await damageOf(file);
  if (damage) return damage;
  const found = await countsOf(file);
  for (const [table, count] of Object.entries(counts))
    if (found[table as keyof StoreCounts] !== count)
      return `it has ${found[table as keyof StoreCounts]} ${table} instead of ${count}`;
  const pathOf = ({ itemId, holder, rebuilt }: Drift) => JSON.stringify([itemId, holder, rebuilt]);
  const knownPaths = new Set(known.map(pathOf));
  const unknown = (await driftsOf(file)).filter((drift) => !knownPaths.has(pathOf(drift)));
  const [drift] = unknown;
  return drift
    ? `the ledger does not lead to the holder of ${unknown.length} items, such as ${drift.itemId}`
    : null;
}

/** What SQLite finds wrong with a file. Null: nothing. */
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
