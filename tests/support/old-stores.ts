// Filled stores of before an upgrade, in both databases.
import { copyFileSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import pg from 'pg';
import { expect, onTestFinished, vi } from 'vitest';
import type { RawConnection } from '#db/engine/seal-stored.ts';
import { migratePostgres, migrateSqlite, rawSqlite } from '#db/migrate.ts';
import { askPostgres } from '#tests/support/ask-postgres.ts';
import { BetterSqlite } from '#tests/support/better-sqlite.ts';
import { testVault } from '#tests/support/database.ts';
import { contentsOf, FIRST_STEP, fillOldStore, type OldStore } from '#tests/support/killed-upgrades.ts';
import { stepsBefore } from '#tests/support/landed-steps.ts';
import { dropPostgres, makePostgres } from '#tests/support/own-postgres.ts';
import { damageOf } from '../../cli/backup/store-facts.ts';

async function inFile<T>(file: string, use: (raw: RawConnection) => Promise<T>): Promise<T> {
  const store = new BetterSqlite(file);
  try {
    return await use(rawSqlite(store));
  } finally {
    store.close();
  }
}

/** Copies of one filled SQLite file. */
export async function oldSqliteStores(): Promise<() => Promise<OldStore>> {
  const folder = mkdtempSync(join(tmpdir(), 'keepsake-killed-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const template = join(folder, 'template.db');
  await migrateSqlite(template, null, stepsBefore('sqlite', FIRST_STEP));
  await inFile(template, fillOldStore);
  const old = await inFile(template, contentsOf);
  let made = 0;
  return async () => {
    const own = mkdtempSync(join(folder, `${++made}-`));
    const file = join(own, 'keepsake.db');
    copyFileSync(template, file);
    return {
      where: file,
      read: (use) => inFile(file, use),
      upgrade: () => migrateSqlite(file, testVault),
      async check() {
        expect(await damageOf(file)).toBe(null);
        expect(await inFile(`${file}.previous`, contentsOf)).toBe(old);
        const others = readdirSync(own).filter((name) => !/-(wal|shm)$/.test(name));
        expect(others.sort()).toEqual([basename(file), `${basename(file)}.previous`]);
      },
    };
  };
}

async function inDatabase<T>(url: string, use: (raw: RawConnection) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const run: RawConnection['run'] = async (query, values) => (await client.query(query, [...values])).rows;
  return use({ dialect: 'postgres', place: (number) => `$${number}`, run }).finally(() => client.end());
}

/** Copies of one filled database on the server. */
export async function oldPostgresStores(): Promise<() => Promise<OldStore>> {
  const template = await makePostgres();
  await migratePostgres(template, null, stepsBefore('postgres', FIRST_STEP));
  await inDatabase(template, fillOldStore);
  return async () => {
    const url = await makePostgres(new URL(template).pathname.slice(1));
    return {
      where: url,
      async read(use) {
        // Work that a killed process had sent is done, or undone, only when its connection has ended.
        await vi.waitFor(
          async () => {
            const query =
              'select from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()';
            expect(await askPostgres(url, query)).toEqual([]);
          },
          { timeout: 30_000, interval: 20 },
        );
        return inDatabase(url, use);
      },
      upgrade: () => migratePostgres(url, testVault),
      check: () => dropPostgres(url),
    };
  };
}
