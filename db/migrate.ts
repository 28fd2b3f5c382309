import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { MigrationMeta } from 'drizzle-orm/migrator';
import type { Client } from 'pg';
import type { StoreAddress } from '#db/database.ts';
import { isPostgres } from './dialect.ts';
import { awaitOlder, requireNoOlder } from './engine/await-older.ts';
import { awaitSilence, systemWaiting, type Waiting } from './engine/await-silence.ts';
import { connectionSettings } from './engine/connection-settings.ts';
import { countRequiredBy, isExpansion, MIGRATION_LOCK } from './engine/expansions.ts';
import { liftLimits } from './engine/lift-limits.ts';
import { requireKey, wordsOf } from './engine/prove-key.ts';
import { closeToOthers, removeUnfinishedCopies, savePrevious } from './engine/save-previous.ts';
import { type RawConnection, sealStored } from './engine/seal-stored.ts';
import type { Seals } from './engine/sealed-text.ts';
import { loadSqliteDriver, type SqliteDriver } from './engine/sqlite-driver.ts';
import { POSTGRES, StoreRefused, unreachable } from './engine/store-refused.ts';
import { errorCode } from './error-code.ts';

const folder = (dialect: 'sqlite' | 'postgres') =>
  fileURLToPath(new URL(`./migrations/${dialect}`, import.meta.url));
export const migrationsFolder = { sqlite: folder('sqlite'), postgres: folder('postgres') };

/**
 * Time at which the step that leases each part of a bot's work was generated: older processes would do their parts beside
 * the new ones, and those of before columns were sealed would use sealed text as plain text.
 */
const leasedSince = { sqlite: 1796029698286, postgres: 1796029703297 };

type SqliteConnection = InstanceType<SqliteDriver>;

type Dialect = keyof typeof migrationsFolder;

/** Returns when the newest step that this version knows was generated, for this process's database if none is named. */
export function newestKnownStep(dialect: Dialect = isPostgres ? 'postgres' : 'sqlite'): number {
  const file = join(migrationsFolder[dialect], 'meta/_journal.json');
  const { entries } = JSON.parse(readFileSync(file, 'utf8')) as { entries: { when: number }[] };
  return Math.max(...entries.map(({ when }) => when));
}

/** Counts recorded steps that this version must know: not those that a newer one only added something with. */
export const countRequired = (dialect: Dialect, steps: readonly Record<string, unknown>[]): number =>
  countRequiredBy(newestKnownStep(dialect), steps);

/**
 * An older version must not write into a database that a newer one has changed, because it does not know the newer one's
 * rules. What was only added is no hindrance.
 */
const refuseNewer = (which: string): Error =>
  new StoreRefused(
    `${which} has the schema of a newer version of Keepsake, and nothing was changed. Install that version again, or restore a backup from before the upgrade.`,
  );

/** The table in which drizzle's own migrator records its steps. */
const stepsOf = { sqlite: '__drizzle_migrations', postgres: 'drizzle.__drizzle_migrations' };

const newestOf = (steps: readonly MigrationMeta[]): number =>
  Math.max(0, ...steps.map(({ folderMillis }) => folderMillis));

/** Returns the newest of these steps that older processes could not run beside; null if there is none. */
const lastContraction = (steps: readonly MigrationMeta[]): number | null =>
  newestOf(steps.filter((step) => !isExpansion(step))) || null;

/** Returns whether a database has had a step that this version does not know, and that did more than add something. */
async function hasForeignChange(
  { dialect, run }: RawConnection,
  known: readonly MigrationMeta[],
  last: number | null,
): Promise<boolean> {
  const newest = newestOf(known);
  if (last === null || last <= newest) return false;
  const isMarked = {
    sqlite: "select 1 from pragma_table_info('__drizzle_migrations') where name = 'expands'",
    postgres: `select 1 from pg_attribute where attrelid = '${stepsOf.postgres}'::regclass and attname = 'expands'`,
  };
  if ((await run(isMarked[dialect], [])).length === 0) return true;
  const foreign = `select 1 from ${stepsOf[dialect]} where created_at > ${newest} and not expands limit 1`;
  return (await run(foreign, [])).length > 0;
}

/**
 * Migrates an SQLite file to the newest schema in one transaction, which ends with a check of every
 * reference; if it fails or the process dies, the file is unchanged. Foreign keys are off while tables are
 * rebuilt, because a rebuild would otherwise silently delete child rows. A copy of the old file is made while
 * nobody else can write, as `….previous`. Both files are closed to other users.
 *
 * With `seals`, text that earlier versions stored plain is sealed in the same transaction, unless the store
 * has values that were sealed with another key. It is refused, too, while a bot runs of a version that leased
 * nothing but its accounts, and while older processes run that rely on what a step changes. A file that a newer
 * version changed is refused; one to which it only added something is left as it is.
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
    // Overwrites deleted text, so that no plain secret stays in the file.
    connection.pragma('secure_delete = ON');
    const last = lastStepOf(connection);
    const raw = rawSqlite(connection);
    if (await hasForeignChange(raw, steps, last)) throw refuseNewer(file);
    if (last !== null && seals) await requireKey(raw, seals);
    const missing = stepsAfter(steps, last);
    if (missing.length === 0) return;
    // Both before the transaction, in which nobody could renew anything.
    if (last !== null && seals && last < leasedSince.sqlite) await awaitSilence(raw, waiting);
    const contraction = lastContraction(missing);
    if (last !== null && contraction !== null) await awaitOlder(file, raw, contraction, waiting);
    try {
      connection.exec('BEGIN IMMEDIATE');
      await applyMissing(connection, { file, steps, seals });
      connection.exec('COMMIT');
    } catch (error) {
      if (connection.inTransaction) connection.exec('ROLLBACK');
      throw asItWas(file, error);
    }
  } finally {
    connection.close();
  }
}

const stepsAfter = (steps: readonly MigrationMeta[], last: number | null): readonly MigrationMeta[] =>
  steps.filter(({ folderMillis }) => last === null || folderMillis > last);

const asItWas = (which: string, error: unknown): Error =>
  error instanceof StoreRefused
    ? error
    : new StoreRefused(
        `${which} could not be migrated and is as it was before: ${(error as Error).message}`,
        {
          cause: error,
        },
      );

/** Migrates in the caller's transaction, unless another process did while this one waited. */
async function applyMissing(
  connection: SqliteConnection,
  { file, steps, seals }: { file: string; steps: readonly MigrationMeta[]; seals: Seals | null },
): Promise<void> {
  const last = lastStepOf(connection);
  const raw = rawSqlite(connection);
  if (await hasForeignChange(raw, steps, last)) throw refuseNewer(file);
  const missing = stepsAfter(steps, last);
  if (missing.length === 0) return;
  const contraction = lastContraction(missing);
  // One may have begun while this waited for the write lock.
  if (last !== null && contraction !== null) await requireNoOlder(file, raw, contraction);
  if (last !== null) await savePrevious(file);
  applySteps(connection, missing);
  if (seals) await sealStored(raw, seals);
  const broken = connection.pragma('foreign_key_check') as unknown[];
  if (broken.length > 0) throw new Error(`it would leave ${broken.length} broken references`);
}

/** Returns when the newest step of a database was generated; null if the database is new. */
function lastStepOf(connection: SqliteConnection): number | null {
  const table = connection
    .prepare("select 1 from sqlite_master where type = 'table' and name = '__drizzle_migrations'")
    .get();
  if (!table) return null;
  return Number(connection.prepare('select max(created_at) from __drizzle_migrations').pluck().get() ?? 0);
}

/** Returns whether the last step of an SQLite database is the newest that this version knows. */
export async function isNewestSqlite(connection: SqliteConnection): Promise<boolean> {
  const { readMigrationFiles } = await import('drizzle-orm/migrator');
  const newest = readMigrationFiles({ migrationsFolder: migrationsFolder.sqlite }).at(-1)?.folderMillis;
  return lastStepOf(connection) === newest;
}

/** Notes which steps only added something: an older version, which does not know them, may go on. */
const markExpansions = (table: string, expansions: readonly MigrationMeta[]): string =>
  `update ${table} set expands = true where created_at in (${expansions.map(({ folderMillis }) => folderMillis).join()})`;

/** Applies steps, and records them as drizzle's own migrator does. */
function applySteps(connection: SqliteConnection, steps: readonly MigrationMeta[]): void {
  connection.exec(
    'CREATE TABLE IF NOT EXISTS __drizzle_migrations (id SERIAL PRIMARY KEY, hash text NOT NULL, created_at numeric)',
  );
  const record = connection.prepare('INSERT INTO __drizzle_migrations (hash, created_at) VALUES (?, ?)');
  for (const { sql: statements, hash, folderMillis } of steps) {
    for (const statement of statements) connection.exec(statement);
    record.run(hash, folderMillis);
  }
  const expansions = steps.filter(isExpansion);
  if (expansions.length > 0) connection.exec(markExpansions(stepsOf.sqlite, expansions));
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

/**
 * Migrates a PostgreSQL database to the newest schema in one transaction, whose lock a concurrent process
 * waits for. With `seals`, text that earlier versions stored plain is sealed in it, under the same conditions
 * as in an SQLite file. It is refused likewise if a newer version changed it, or while older processes run.
 * One that is in use and to which steps only add something is never kept waiting for long: they are tried again.
 */
export async function migratePostgres(
  url: string,
  seals: Seals | null = null,
  folderOfSteps: string = migrationsFolder.postgres,
  waiting: Waiting = systemWaiting,
): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await migratePostgresOnce(url, { seals, folderOfSteps, waiting });
    } catch (error) {
      if (attempt === MAX_ATTEMPTS || !hindrances.has(errorCode(error))) throw error;
    }
    if (attempt === 1) waiting.say('Something uses a table that is to change; trying again.');
    await waiting.wait(RETRY_MS);
  }
}

/** A lock was not to be had in time, or the migration and a transaction waited for each other. */
const hindrances: ReadonlySet<string> = new Set(['55P03', '40P01']);
const MAX_ATTEMPTS = 20;
const RETRY_MS = 2_000;
/**
 * Others who use a table wait behind a migration that waits for it. Longer than `deadlock_timeout` (1 s), after which
 * PostgreSQL cancels an autovacuum that is in the way.
 */
const LOCK_WAIT = '2s';

function migratePostgresOnce(
  url: string,
  { seals, folderOfSteps, waiting }: { seals: Seals | null; folderOfSteps: string; waiting: Waiting },
): Promise<void> {
  return withPostgres(url, async (raw, client) => {
    await raw.run('begin', []);
    await liftLimits(client, 'transaction');
    await lockPostgresSteps(raw);
    const last = await lastStepOfPostgres(raw);
    const { steps, isNewer } = await stepsMissingInPostgres(raw, folderOfSteps);
    if (isNewer) throw refuseNewer(POSTGRES);
    if (last !== null && seals) await requireKey(raw, seals);
    if (steps.length === 0) return;
    if (last !== null && seals && last < leasedSince.postgres) await awaitSilence(raw, waiting);
    const contraction = lastContraction(steps);
    if (last !== null && contraction !== null) await awaitOlder(POSTGRES, raw, contraction, waiting);
    const isInUse = last !== null && contraction === null;
    if (isInUse) await raw.run(`set local lock_timeout = '${LOCK_WAIT}'`, []);
    try {
      // Before the steps, which lock tables: nobody waits for a table until all others are read.
      if (isInUse && seals) await sealStored(raw, seals);
      await applyPostgresSteps(raw, steps);
      if (!isInUse && seals) await sealStored(raw, seals);
    } catch (error) {
      throw asItWas(POSTGRES, error);
    }
    try {
      await raw.run('commit', []);
    } catch (error) {
      throw new StoreRefused(
        `${POSTGRES} was migrated, or is as it was before: the answer was lost (${(error as Error).message}). Start again to find out.`,
        { cause: error },
      );
    }
  });
}

/** Until the transaction ends, nobody else migrates this database. */
export async function lockPostgresSteps({ run }: RawConnection): Promise<void> {
  await run(`select pg_advisory_xact_lock(hashtextextended('${MIGRATION_LOCK}', 0))`, []);
}

interface MissingSteps {
  steps: readonly MigrationMeta[];
  /** True if it has had no step at all. */
  isNew: boolean;
  /** True if it has had a step that this version does not know, and that did more than add something. */
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
    steps: stepsAfter(known, last),
    isNew: last === null,
    isNewer: await hasForeignChange(raw, known, last),
  };
}

/** Applies steps in the caller's transaction, and records them as drizzle's own migrator does. */
export async function applyPostgresSteps(
  { run }: RawConnection,
  steps: readonly MigrationMeta[],
): Promise<void> {
  await run('create schema if not exists drizzle', []);
  await run(
    `create table if not exists ${stepsOf.postgres} (id serial primary key, hash text not null, created_at bigint)`,
    [],
  );
  for (const { sql: statements, hash, folderMillis } of steps) {
    for (const statement of statements) await run(statement, []);
    await run(`insert into ${stepsOf.postgres} (hash, created_at) values ($1, $2)`, [hash, folderMillis]);
  }
  const expansions = steps.filter(isExpansion);
  if (expansions.length > 0) await run(markExpansions(stepsOf.postgres, expansions), []);
}

/** Runs `work` on a connection of its own; a transaction that it left open is rolled back. */
async function withPostgres<T>(
  url: string,
  work: (raw: RawConnection, client: Client) => Promise<T>,
): Promise<T> {
  const { default: pg } = await import('pg');
  const client = new pg.Client({ connectionString: url, ...connectionSettings });
  // A connection that is lost while idle fails at its next statement.
  client.on('error', () => {});
  try {
    await client.connect().catch((error: Error) => {
      throw new StoreRefused(wordsOf(unreachable(error)), { cause: error });
    });
    const raw: RawConnection = {
      dialect: 'postgres',
      place: (number) => `$${number}`,
      // Without values a statement may contain several commands.
      run: async (query, values) =>
        (await (values.length > 0 ? client.query(query, [...values]) : client.query(query))).rows,
    };
    return await work(raw, client);
  } finally {
    await client.end().catch(() => {});
  }
}

/** Returns when the newest step of a database was generated; null if the database is new. */
async function lastStepOfPostgres({ run }: RawConnection): Promise<number | null> {
  const [found] = (await run(`select to_regclass('${stepsOf.postgres}') as steps`, [])) as {
    steps: unknown;
  }[];
  if (!found?.steps) return null;
  const [row] = (await run(`select max(created_at) as last from ${stepsOf.postgres}`, [])) as {
    last: string | null;
  }[];
  return row?.last ? Number(row.last) : null;
}

/** Returns whether no version has migrated this store yet. Changes nothing. */
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
