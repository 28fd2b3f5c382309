import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { type Database, openPostgres, openSqlite, postgresDatabase } from '#db/database.ts';
import { loadSqliteDriver } from '#db/engine/sqlite-driver.ts';
import { migratePostgres, migrateSqlite } from '#db/migrate.ts';

/** The place of the product's data, and a way to read it at one moment while everything runs. */
export interface SoakStore {
  /** The product's settings for it. */
  settings: Record<string, string>;
  migrate(): Promise<unknown>;
  open(): Promise<Database>;
  /** All data as of one commit. */
  snapshot(): Promise<Database>;
}

/** An SQLite store is in the first folder, its copies in the second. */
export const storeIn = (folder: string, copies: string): SoakStore =>
  process.env.DATABASE_URL ? onPostgres(process.env.DATABASE_URL) : onSqlite(folder, copies);

function onSqlite(folder: string, copies: string): SoakStore {
  const file = join(folder, 'keepsake.db');
  return {
    settings: {},
    migrate: () => migrateSqlite(file),
    open: () => openSqlite(file, { waitMs: 60_000 }),
    async snapshot() {
      const copy = join(copies, 'snapshot.db');
      rmSync(copy, { force: true });
      const BetterSqlite = await loadSqliteDriver();
      const store = new BetterSqlite(file, { timeout: 30_000 });
      store.prepare('VACUUM INTO ?').run(copy);
      store.close();
      return openSqlite(copy);
    },
  };
}

function onPostgres(url: string): SoakStore {
  return {
    settings: { DATABASE_URL: url },
    migrate: () => migratePostgres(url),
    open: () => openPostgres(url),
    /** One connection within one transaction: its statements all see the same moment. */
    async snapshot() {
      const { default: pg } = await import('pg');
      const { drizzle } = await import('drizzle-orm/node-postgres');
      const client = new pg.Client(url);
      // A connection that breaks fails what is read next.
      client.on('error', () => {});
      await client.connect();
      await client.query('begin isolation level repeatable read read only');
      return postgresDatabase(drizzle(client), () => client.end());
    },
  };
}
