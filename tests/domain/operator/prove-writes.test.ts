import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openSqlite } from '#db/database.ts';
import { longRounds } from '#db/schema/bot.ts';
import { proveWrites } from '#domain/operator/prove-writes.ts';
import { openLoneDatabase } from '#tests/support/database.ts';

test('A proof writes the same row each time, and no reader reacts to it', async () => {
  await using db = await openLoneDatabase();
  const before = await db.revision();
  expect([await proveWrites(db, 1), await proveWrites(db, 2)]).toEqual([null, null]);
  expect(await db.read.select().from(longRounds)).toEqual([{ worker: 'proof of writing', endedAtMs: 2 }]);
  expect(await db.revision()).toBe(before);
});

test('A database that takes no row is named by its own code', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'keepsake-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const withoutTables = await openSqlite(join(folder, 'empty.db'));
  expect(await proveWrites(withoutTables, 1)).toBe('SQLITE_ERROR');
  await withoutTables.close();
});
