import {
  chmodSync,
  closeSync,
  fsyncSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { MigrationMeta } from 'drizzle-orm/migrator';
import { isAlive } from './is-alive.ts';
import { type RawConnection, sealStored } from './seal-stored.ts';
import type { Seals } from './sealed-text.ts';
import { loadSqliteDriver, type SqliteDriver } from './sqlite-driver.ts';

const folder = (dialect: 'sqlite' | 'postgres') =>
  fileURLToPath(new URL(`./migrations/${dialect}`, import.meta.url));
export const migrationsFolder = { sqlite: folder('sqlite'), postgres: folder('postgres') };

type SqliteConnection = InstanceType<SqliteDriver>;

/**
 * Migrates an SQLite file to the newest schema in one transaction, which ends with a check of every reference: whenever
 * it fails or the process dies, the file is as it was. Foreign keys are off while tables are rebuilt, because a rebuild
 * would otherwise silently delete child rows. A copy of the old file is made before, as `….previous`. Both are closed to
 * other users. With `seals`, what versions before stored plain is sealed in the same transaction.
 */
export async function migrateSqlite(
  file: string,
  seals: Seals | null = null,
  folderOfSteps: string = migrationsFolder.sqlite,
): Promise<void> {
  const BetterSqlite = await loadSqliteDriver();
  const { readMigrationFiles } = await import('drizzle-orm/migrator');
  const steps = readMigrationFiles({ migrationsFolder: folderOfSteps });
  const connection = new BetterSqlite(file, { timeout: 30_000 });
  try {
    closeToOthers(file);
    removeUnfinishedCopies(file);
    connection.pragma('journal_mode = WAL');
    connection.pragma('foreign_keys = OFF');
    // What was plain does not stay behind in the file.
    connection.pragma('secure_delete = ON');
    const last = lastStepOf(connection);
    if (last !== null && steps.every(({ folderMillis }) => folderMillis <= last)) return;
    if (last !== null) copyWhole(connection, `${file}.previous`);
    connection.exec('BEGIN IMMEDIATE');
    try {
      applySteps(connection, steps);
      if (seals) await sealStored(rawSqlite(connection), seals);
      const broken = connection.pragma('foreign_key_check') as unknown[];
      if (broken.length > 0) throw new Error(`it would leave ${broken.length} broken references`);
      connection.exec('COMMIT');
    } catch (error) {
      if (connection.inTransaction) connection.exec('ROLLBACK');
      const { message } = error as Error;
      throw new Error(`${file} could not be migrated and is as it was before: ${message}`, { cause: error });
    }
  } finally {
    connection.close();
  }
}

/** When the newest step that a database has had was generated; null if the database is new. */
function lastStepOf(connection: SqliteConnection): number | null {
  const table = connection
    .prepare("select 1 from sqlite_master where type = 'table' and name = '__drizzle_migrations'")
    .get();
  if (!table) return null;
  return Number(connection.prepare('select max(created_at) from __drizzle_migrations').pluck().get() ?? 0);
}

/** Applies the steps that the database has not had, and records them as drizzle's own migrator does. */
function applySteps(connection: SqliteConnection, steps: readonly MigrationMeta[]): void {
  connection.exec(
    'CREATE TABLE IF NOT EXISTS __drizzle_migrations (id SERIAL PRIMARY KEY, hash text NOT NULL, created_at numeric)',
  );
  const last = lastStepOf(connection) ?? 0;
  const record = connection.prepare('INSERT INTO __drizzle_migrations (hash, created_at) VALUES (?, ?)');
  for (const { sql: statements, hash, folderMillis } of steps) {
    if (folderMillis <= last) continue;
    for (const statement of statements) connection.exec(statement);
    record.run(hash, folderMillis);
  }
}

const rawSqlite = (connection: SqliteConnection): RawConnection => ({
  place: () => '?',
  run(query, values) {
    const statement = connection.prepare(query);
    if (statement.reader) return statement.all(...values);
    statement.run(...values);
    return [];
  },
});

/** SQLite gives the mode of the file to its log. What belongs to another user stays; `keepsake doctor` names it. */
function closeToOthers(file: string): void {
  if ((statSync(file).mode & 0o077) === 0) return;
  try {
    chmodSync(file, 0o600);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') throw error;
  }
}

/** Removes the copies that migrations left that were killed. */
function removeUnfinishedCopies(file: string): void {
  const beginning = `${basename(file)}.previous.`;
  for (const name of readdirSync(dirname(file))) {
    const pid = name.startsWith(beginning) ? name.slice(beginning.length) : '';
    if (/^\d+$/.test(pid) && !isAlive(Number(pid))) rmSync(join(dirname(file), name), { force: true });
  }
}

/** The copy gets its name only once it is complete and on disk. */
function copyWhole(connection: SqliteConnection, to: string): void {
  const partial = `${to}.${process.pid}`;
  rmSync(partial, { force: true });
  closeSync(openSync(partial, 'wx', 0o600));
  connection.prepare('VACUUM INTO ?').run(partial);
  const copied = openSync(partial, 'r+');
  fsyncSync(copied);
  closeSync(copied);
  renameSync(partial, to);
}

/**
 * Migrates a PostgreSQL database to the newest schema. A concurrent process waits for the first: a transaction on a
 * connection of its own holds the lock meanwhile, because a session's lock would stay with a pooler's connection. With
 * `seals`, what versions before stored plain is sealed then, in that transaction.
 */
export async function migratePostgres(url: string, seals: Seals | null = null): Promise<void> {
  const { default: pg } = await import('pg');
  const { drizzle } = await import('drizzle-orm/node-postgres');
  const { migrate } = await import('drizzle-orm/node-postgres/migrator');
  const holder = new pg.Client({ connectionString: url });
  const client = new pg.Client({ connectionString: url });
  // A connection that is lost while idle fails at its next statement.
  for (const each of [holder, client]) each.on('error', () => {});
  try {
    await Promise.all([holder.connect(), client.connect()]);
    await holder.query('begin');
    await holder.query("select pg_advisory_xact_lock(hashtextextended('keepsake migrations', 0))");
    await migrate(drizzle(client), { migrationsFolder: migrationsFolder.postgres });
    const run = async (query: string, values: readonly string[]) =>
      (await holder.query(query, [...values])).rows;
    if (seals) await sealStored({ place: (number) => `$${number}`, run }, seals);
    await holder.query('commit');
  } finally {
    await Promise.allSettled([holder.end(), client.end()]);
  }
}

/** Migrates the configured database: a PostgreSQL URL, or an SQLite file. */
export const migrateDatabase = (
  store: { databaseUrl?: string | undefined; file: string },
  seals: Seals,
): Promise<void> =>
  store.databaseUrl ? migratePostgres(store.databaseUrl, seals) : migrateSqlite(store.file, seals);
