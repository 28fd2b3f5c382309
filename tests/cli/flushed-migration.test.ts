import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { migrateSqlite } from '#db/migrate.ts';
import { BetterSqlite } from '#tests/support/better-sqlite.ts';
import { diskCalls } from '#tests/support/disk-calls.ts';

vi.mock('node:fs', async (original) => {
  const { recordDiskCalls } = await import('#tests/support/disk-calls.ts');
  return recordDiskCalls(await original());
});

test('The copy that a migration leaves gets its name only once it is on disk, and its name is on disk too', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'keepsake-flushed-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'keepsake.db');
  const store = new BetterSqlite(file);
  store.exec('create table __drizzle_migrations (id integer primary key, hash text, created_at numeric)');
  store.close();
  await migrateSqlite(file);
  const copy = 'keepsake.db.previous';
  expect(diskCalls).toEqual([`flush ${copy}.${process.pid}`, `rename ${copy}`, `flush ${basename(folder)}`]);
});
