import { rmSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { BetterSqlite } from '#tests/support/better-sqlite.ts';
import { makeSqliteFile } from '#tests/support/database.ts';
import { knownMigrations, migrationsOf } from '../../cli/backup/store-facts.ts';

test('Steps with which a newer version only added something do not count as a newer schema', async () => {
  const { file, folder } = await makeSqliteFile();
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const store = new BetterSqlite(file);
  onTestFinished(() => void store.close());
  store.exec("insert into __drizzle_migrations (hash, created_at, expands) values ('x', 9999999999998, 1)");
  expect(await migrationsOf(file)).toBe(knownMigrations());
  store.exec("insert into __drizzle_migrations (hash, created_at, expands) values ('y', 9999999999999, 0)");
  expect(await migrationsOf(file)).toBe(knownMigrations() + 1);
});
