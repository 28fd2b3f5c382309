import { copyFileSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Database, openSqlite, postgresDatabase } from '#db/database.ts';
import { isPostgres } from '#db/dialect.ts';
import { migrateSqlite, migrationsFolder } from '#db/migrate.ts';

export interface TestDatabase extends Database {
  [Symbol.asyncDispose](): Promise<void>;
}

/** An empty, migrated store of this run's dialect: an SQLite file, or PostgreSQL's own code in this process (PGlite). */
export async function openTestDatabase(): Promise<TestDatabase> {
  return isPostgres ? openPglite() : openSqliteCopy();
}

const template = join(tmpdir(), `keepsake-template-${process.pid}.db`);
let migrated: Promise<void> | undefined;

/** The migrations run once per process; every test gets its own copy of the result. */
async function migrateTemplate(): Promise<void> {
  const building = `${template}.${Math.random()}`;
  await migrateSqlite(building);
  renameSync(building, template);
  process.once('exit', () => rmSync(template, { force: true }));
}

/** A fresh migrated SQLite file, for tests that open it from several processes. */
export async function makeSqliteFile(): Promise<{ file: string; folder: string }> {
  if (!existsSync(template)) migrated = undefined;
  migrated ??= migrateTemplate();
  await migrated;
  const base = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();
  mkdirSync(base, { recursive: true });
  const folder = mkdtempSync(join(base, 'keepsake-test-'));
  const file = join(folder, 'keepsake.db');
  copyFileSync(template, file);
  return { file, folder };
}

async function openSqliteCopy(): Promise<TestDatabase> {
  const { file, folder } = await makeSqliteFile();
  const database = await openSqlite(file);
  const close = async () => {
    await database.close();
    rmSync(folder, { recursive: true, force: true });
  };
  return { ...database, close, [Symbol.asyncDispose]: close };
}

let snapshot: Promise<Blob> | undefined;

async function openPglite(): Promise<TestDatabase> {
  const { PGlite } = await import('@electric-sql/pglite');
  const { drizzle } = await import('drizzle-orm/pglite');
  snapshot ??= (async () => {
    const { migrate } = await import('drizzle-orm/pglite/migrator');
    const building = await PGlite.create();
    await migrate(drizzle(building), { migrationsFolder: migrationsFolder.postgres });
    const dump = await building.dumpDataDir('none');
    await building.close();
    return dump;
  })();
  const store = await PGlite.create({ loadDataDir: await snapshot });
  const database = postgresDatabase(drizzle(store), () => store.close());
  return { ...database, [Symbol.asyncDispose]: () => database.close() };
}
