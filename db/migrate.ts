import {
  chmodSync,
  closeSync,
  existsSync,
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
import { awaitSilence, systemWaiting, type Waiting } from './await-silence.ts';
import type { StoreAddress } from './database.ts';
import { isAlive } from './is-alive.ts';
import { requireKey } from './prove-key.ts';
import { type RawConnection, sealStored } from './seal-stored.ts';
import type { Seals } from './sealed-text.ts';
import { loadSqliteDriver, type SqliteDriver } from './sqlite-driver.ts';

const folder = (dialect: 'sqlite' | 'postgres') =>
  fileURLToPath(new URL(`./migrations/${dialect}`, import.meta.url));
export const migrationsFolder = { sqlite: folder('sqlite'), postgres: folder('postgres') };

/** When the step was generated from which on columns are sealed: older processes would use sealed text as plain. */
const sealedSince = { sqlite: 1795446666797, postgres: 1795446668514 };

type SqliteConnection = InstanceType<SqliteDriver>;

/**
 * Migrates an SQLite file to the newest schema in one transaction, which ends with a check of every reference: whenever
 * it fails or the process dies, the file is as it was. Foreign keys are off while tables are rebuilt, because a rebuild
 * would otherwise silently delete child rows. A copy of the old file is made before, as `….previous`. Both are closed to
 * other users. With `seals`, what versions before stored plain is sealed in the same transaction, unless the store has
 * values that were sealed with another key, or a bot of such a version runs.
 */
export async function migrateSqlite(
  file: string,
  seals: Seals | null = null,
  folderOfSteps: string = migrationsFolder.sqlite,
  waiting: Waiting = systemWaiting,
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
    const raw = rawSqlite(connection);
    if (last !== null && seals) await requireKey(raw, seals);
    if (last !== null && steps.every(({ folderMillis }) => folderMillis <= last)) return;
    if (last !== null && seals && last < sealedSince.sqlite) await awaitSilence(raw, waiting);
    if (last !== null) copyWhole(connection, `${file}.previous`);
    connection.exec('BEGIN IMMEDIATE');
    try {
      applySteps(connection, steps);
      if (seals) await sealStored(raw, seals);
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

/** Whether the last step of an SQLite database is the newest that this version knows. */
export async function isNewestSqlite(connection: SqliteConnection): Promise<boolean> {
  const { readMigrationFiles } = await import('drizzle-orm/migrator');
  const newest = readMigrationFiles({ migrationsFolder: migrationsFolder.sqlite }).at(-1)?.folderMillis;
  return lastStepOf(connection) === newest;
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

/** Runs the statements that both databases know on an SQLite connection. */
export const rawSqlite = (connection: SqliteConnection): RawConnection => ({
  dialect: 'sqlite',
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

/** Where drizzle's own migrator records its steps. */
const stepsOfPostgres = 'drizzle.__drizzle_migrations';

/**
 * Migrates a PostgreSQL database to the newest schema in one transaction, whose lock a concurrent process waits for.
 * With `seals`, what versions before stored plain is sealed in it, under the same conditions as in an SQLite file.
 */
export async function migratePostgres(
  url: string,
  seals: Seals | null = null,
  folderOfSteps: string = migrationsFolder.postgres,
  waiting: Waiting = systemWaiting,
): Promise<void> {
  await withPostgres(url, async (raw) => {
    await raw.run('begin', []);
    await lockPostgresSteps(raw);
    const last = await lastStepOfPostgres(raw);
    if (last !== null && seals) await requireKey(raw, seals);
    const { steps } = await stepsMissingInPostgres(raw, folderOfSteps);
    if (steps.length === 0) return;
    if (last !== null && seals && last < sealedSince.postgres) await awaitSilence(raw, waiting);
    await applyPostgresSteps(raw, steps);
    if (seals) await sealStored(raw, seals);
    await raw.run('commit', []);
  });
}

/** Until the transaction ends, nobody else migrates this database. */
export async function lockPostgresSteps({ run }: RawConnection): Promise<void> {
  await run("select pg_advisory_xact_lock(hashtextextended('keepsake migrations', 0))", []);
}

interface MissingSteps {
  steps: readonly MigrationMeta[];
  /** Whether it has had no step at all. */
  isNew: boolean;
  /** Whether it has had a step that this version does not know. */
  isNewer: boolean;
}

/** The steps that a database has not had. */
export async function stepsMissingInPostgres(
  raw: RawConnection,
  folderOfSteps: string = migrationsFolder.postgres,
): Promise<MissingSteps> {
  const { readMigrationFiles } = await import('drizzle-orm/migrator');
  const known = readMigrationFiles({ migrationsFolder: folderOfSteps });
  const last = await lastStepOfPostgres(raw);
  return {
    steps: known.filter(({ folderMillis }) => last === null || folderMillis > last),
    isNew: last === null,
    isNewer: last !== null && known.every(({ folderMillis }) => folderMillis < last),
  };
}

/** Applies steps in the caller's transaction, and records them as drizzle's own migrator does. */
export async function applyPostgresSteps(
  { run }: RawConnection,
  steps: readonly MigrationMeta[],
): Promise<void> {
  await run('create schema if not exists drizzle', []);
  await run(
    `create table if not exists ${stepsOfPostgres} (id serial primary key, hash text not null, created_at bigint)`,
    [],
  );
  for (const { sql: statements, hash, folderMillis } of steps) {
    for (const statement of statements) await run(statement, []);
    await run(`insert into ${stepsOfPostgres} (hash, created_at) values ($1, $2)`, [hash, folderMillis]);
  }
}

/** Runs `work` on a connection of its own; a transaction that it left open is rolled back. */
async function withPostgres<T>(url: string, work: (raw: RawConnection) => Promise<T>): Promise<T> {
  const { default: pg } = await import('pg');
  const client = new pg.Client({ connectionString: url });
  // A connection that is lost while idle fails at its next statement.
  client.on('error', () => {});
  try {
    await client.connect();
    return await work({
      dialect: 'postgres',
      place: (number) => `$${number}`,
      // Without values a statement may contain several commands.
      run: async (query, values) =>
        (await (values.length > 0 ? client.query(query, [...values]) : client.query(query))).rows,
    });
  } finally {
    await client.end().catch(() => {});
  }
}

/** When the newest step that a database has had was generated; null if the database is new. */
async function lastStepOfPostgres({ run }: RawConnection): Promise<number | null> {
  const [found] = (await run(`select to_regclass('${stepsOfPostgres}') as steps`, [])) as {
    steps: unknown;
  }[];
  if (!found?.steps) return null;
  const [row] = (await run(`select max(created_at) as last from ${stepsOfPostgres}`, [])) as {
    last: string | null;
  }[];
  return row?.last ? Number(row.last) : null;
}

/** Whether no version has migrated this store yet. Changes nothing. */
export async function isNewStore({ databaseUrl, file }: StoreAddress): Promise<boolean> {
  if (databaseUrl) return withPostgres(databaseUrl, async (raw) => (await lastStepOfPostgres(raw)) === null);
  if (!existsSync(file)) return true;
  const BetterSqlite = await loadSqliteDriver();
  const connection = new BetterSqlite(file, { timeout: 30_000 });
  try {
    return lastStepOf(connection) === null;
  } finally {
    connection.close();
  }
}

/** Migrates the configured database: a PostgreSQL URL, or an SQLite file. */
export const migrateDatabase = ({ databaseUrl, file }: StoreAddress, seals: Seals): Promise<void> =>
  databaseUrl ? migratePostgres(databaseUrl, seals) : migrateSqlite(file, seals);
