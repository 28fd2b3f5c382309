import { fileURLToPath } from 'node:url';
import { loadSqliteDriver } from './sqlite-driver.ts';

const folder = (dialect: 'sqlite' | 'postgres') =>
  fileURLToPath(new URL(`./migrations/${dialect}`, import.meta.url));
export const migrationsFolder = { sqlite: folder('sqlite'), postgres: folder('postgres') };

/**
 * Migrates an SQLite file to the newest schema. Foreign keys are off while tables are rebuilt, because a rebuild
 * would otherwise silently delete child rows; afterwards every reference is checked.
 */
export async function migrateSqlite(
  file: string,
  folderOfSteps: string = migrationsFolder.sqlite,
): Promise<void> {
  const BetterSqlite = await loadSqliteDriver();
  const { drizzle } = await import('drizzle-orm/better-sqlite3');
  const { migrate } = await import('drizzle-orm/better-sqlite3/migrator');
  const connection = new BetterSqlite(file, { timeout: 30_000 });
  try {
    connection.pragma('journal_mode = WAL');
    connection.pragma('foreign_keys = OFF');
    migrate(drizzle(connection), { migrationsFolder: folderOfSteps });
    const broken = connection.pragma('foreign_key_check') as unknown[];
    if (broken.length > 0)
      throw new Error(`the migration left ${broken.length} broken references in ${file}`);
  } finally {
    connection.close();
  }
}

/**
 * Migrates a PostgreSQL database to the newest schema. A concurrent process waits for the first: a transaction on a
 * connection of its own holds the lock meanwhile, because a session's lock would stay with a pooler's connection.
 */
export async function migratePostgres(url: string): Promise<void> {
  const { default: pg } = await import('pg');
  const { drizzle } = await import('drizzle-orm/node-postgres');
  const { migrate } = await import('drizzle-orm/node-postgres/migrator');
  const address = new URL(url);
  address.searchParams.delete('pgbouncer');
  const holder = new pg.Client({ connectionString: address.href });
  const client = new pg.Client({ connectionString: address.href });
  // A connection that is lost while idle fails at its next statement.
  for (const each of [holder, client]) each.on('error', () => {});
  try {
    await Promise.all([holder.connect(), client.connect()]);
    await holder.query('begin');
    await holder.query("select pg_advisory_xact_lock(hashtextextended('keepsake migrations', 0))");
    await migrate(drizzle(client), { migrationsFolder: migrationsFolder.postgres });
    await holder.query('commit');
  } finally {
    await Promise.allSettled([holder.end(), client.end()]);
  }
}

/** Migrates the configured database: a PostgreSQL URL, or an SQLite file. */
export const migrateDatabase = (store: { databaseUrl?: string | undefined; file: string }): Promise<void> =>
  store.databaseUrl ? migratePostgres(store.databaseUrl) : migrateSqlite(store.file);
