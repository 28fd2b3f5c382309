import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { findDemoInStore, findInstanceInStore } from '../../cli/demo/claim-store.ts';
import { writeDemoNotes } from '../../cli/demo/demo-notes.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'keepsake-demo-'));
  mkdirSync(join(folder, 'secrets'));
  writeFileSync(join(folder, 'secrets', 'encryption-key'), 'a key', { mode: 0o600 });
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const onPostgres = () => ({ KEEPSAKE_DATA_DIR: folder, DATABASE_URL: 'postgres://127.0.0.1:9/keepsake' });
const onSqlite = () => ({ KEEPSAKE_DATA_DIR: folder, DATABASE_URL: undefined });

test('Notes that name no database are about PostgreSQL if the folder has no SQLite file', async () => {
  writeDemoNotes(folder, { people: [], stocked: true });
  expect(await findInstanceInStore(onPostgres())).toBeNull();
  writeFileSync(join(folder, 'keepsake.db'), '');
  expect(await findInstanceInStore(onPostgres())).toMatchObject({ name: 'storeIsNoDemo' });
  expect(await findInstanceInStore(onSqlite())).toBeNull();
});

test('A demo that never made its store keeps no instance out, and notes of another database alone do', async () => {
  writeDemoNotes(folder, { store: 'keepsake.db', people: [], stocked: false });
  expect(await findDemoInStore(onSqlite())).toBeNull();
  writeDemoNotes(folder, { store: '127.0.0.1:9/keepsake', people: [], stocked: true });
  expect(await findDemoInStore(onSqlite())).toMatchObject({ name: 'storeIsDemo' });
});
