import { createHash } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Database, openSqlite, postgresDatabase } from '#db/database.ts';
import { isPostgres } from '#db/dialect.ts';
import { sealColumnsWith } from '#db/engine/sealed-text.ts';
import { migrateSqlite, migrationsFolder } from '#db/migrate.ts';
import { createVault } from '#platform/vault.ts';
import { serverUrl } from '#tests/support/postgres-server.ts';
import { openOnServer } from '#tests/support/server-database.ts';

/** Seals the secrets in the tests' databases. */
export const testVault = createVault(Buffer.alloc(32, 7).toString('base64'));
/** Its key, as ENCRYPTION_KEY. */
export const testKey = Buffer.alloc(32, 7).toString('hex');

export interface TestDatabase extends Database {
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * An empty, migrated database in this run's dialect: an SQLite file, or PostgreSQL, on the server of TEST_POSTGRES_URL
 * or as PostgreSQL's own code in this process (PGlite).
 */
export async function openTestDatabase(): Promise<TestDatabase> {
  sealColumnsWith(testVault);
  if (!isPostgres) return openSqliteCopy();
  if (!serverUrl) return openPglite();
  return disposable(await openOnServer(digestOf(migrationsFolder.postgres)));
}

const disposable = (db: Database): TestDatabase => ({
  ...db,
  [Symbol.asyncDispose]: () => db.close(),
});

/**
 * Opens a database with nobody beside it, because on a server a database's revision also counts the
 * transactions of other tests' databases.
 */
export async function openLoneDatabase(): Promise<TestDatabase> {
  sealColumnsWith(testVault);
  return isPostgres ? openPglite() : openSqliteCopy();
}

const cache = 'node_modules/.cache';
let template: Promise<string> | undefined;

/** The migrations run once; every test gets a copy of the result. */
async function sqliteTemplate(): Promise<string> {
  const file = join(cache, `keepsake-sqlite-${digestOf(migrationsFolder.sqlite)}.db`);
  if (existsSync(file)) return file;
  mkdirSync(cache, { recursive: true });
  const building = `${file}.${process.pid}`;
  await migrateSqlite(building);
  renameSync(building, file);
  return file;
}

/**
 * A new migrated SQLite file, for tests that open it in several processes: in the run's folder, or on disk, where
 * commits have their real cost.
 */
export async function makeSqliteFile(
  place: 'memory' | 'disk' = 'memory',
): Promise<{ file: string; folder: string }> {
  template ??= sqliteTemplate();
  const migrated = await template;
  const base = (place === 'memory' && process.env.TEST_STORES) || tmpdir();
  const folder = mkdtempSync(join(base, 'keepsake-test-'));
  const file = join(folder, 'keepsake.db');
  copyFileSync(migrated, file);
  return { file, folder };
}

async function openSqliteCopy(): Promise<TestDatabase> {
  const { file, folder } = await makeSqliteFile();
  const db = await openSqlite(file);
  const close = async () => {
    await db.close();
    rmSync(folder, { recursive: true, force: true });
  };
  return disposable({ ...db, close });
}

type Pglite = import('@electric-sql/pglite').PGlite;
/** Starting PostgreSQL's code takes a second, so tests in this process reuse it after emptying it. */
const idle: Pglite[] = [];

async function openPglite(): Promise<TestDatabase> {
  const { drizzle } = await import('drizzle-orm/pglite');
  const store = idle.pop() ?? (await startPglite());
  const db = postgresDatabase(drizzle(store), async () => {
    await empty(store);
    idle.push(store);
  });
  return disposable(db);
}

/** Deletes all rows: to truncate all tables takes five times as long, and most tests fill only some of them. */
async function empty(store: Pglite): Promise<void> {
  const { rows: tables } = await store.query<{ name: string }>(
    "select quote_ident(tablename) as name from pg_tables where schemaname = 'public'",
  );
  const filled = await store.query<{ name: string }>(
    tables
      .map(({ name }) => `select '${name}' as name where exists (select from ${name})`)
      .join(' union all '),
  );
  // As a replica it does not check foreign keys, so any order will do.
  await store.exec(
    [
      'set session_replication_role = replica',
      ...filled.rows.map(({ name }) => `delete from ${name}`),
      'set session_replication_role = origin',
    ].join(';'),
  );
}

/** A migrated database in this process, from an image that the first process creates for the others. */
export async function startPglite(): Promise<Pglite> {
  const { PGlite } = await import('@electric-sql/pglite');
  const image = join(cache, `keepsake-pglite-${digestOf(migrationsFolder.postgres)}.tar`);
  if (existsSync(image)) return PGlite.create({ loadDataDir: new Blob([readFileSync(image)]) });
  const { drizzle } = await import('drizzle-orm/pglite');
  const { migrate } = await import('drizzle-orm/pglite/migrator');
  const store = await PGlite.create();
  await migrate(drizzle(store), { migrationsFolder: migrationsFolder.postgres });
  const dump = await store.dumpDataDir('none');
  mkdirSync(cache, { recursive: true });
  writeFileSync(`${image}.${process.pid}`, Buffer.from(await dump.arrayBuffer()));
  renameSync(`${image}.${process.pid}`, image);
  return store;
}

function digestOf(folder: string): string {
  const files = readdirSync(folder).filter((name) => name.endsWith('.sql'));
  const digest = createHash('sha256');
  for (const name of files.sort()) digest.update(readFileSync(join(folder, name)));
  return digest.digest('hex').slice(0, 16);
}
