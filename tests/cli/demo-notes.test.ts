import {
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { claimForDemo, findDemoInStore, findInstanceInStore } from '../../cli/demo/claim-store.ts';
import { demoNotesFile, readDemoNotes, writeDemoNotes } from '../../cli/demo/demo-notes.ts';

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

test('Where a backup of a demo was restored without its notes, the demo says what is missing', async () => {
  writeFileSync(join(folder, 'keepsake.db'), '');
  expect(await findInstanceInStore(onSqlite())).toMatchObject({
    name: 'storeIsNoDemo',
    remedy: expect.stringContaining('put demo.json and sandbox of that demo beside it'),
  });
  writeDemoNotes(folder, { store: 'keepsake.db', people: [], stocked: true });
  expect(await findInstanceInStore(onSqlite())).toBeNull();
});

test('A demo that never made its store keeps no instance out, and notes of another database alone do', async () => {
  writeDemoNotes(folder, { store: 'keepsake.db', people: [], stocked: false });
  expect(await findDemoInStore(onSqlite())).toBeNull();
  writeDemoNotes(folder, { store: '127.0.0.1:9/keepsake', people: [], stocked: true });
  expect(await findDemoInStore(onSqlite())).toMatchObject({ name: 'storeIsDemo' });
});

test('Notes are replaced in one step, and stay closed to others', () => {
  writeDemoNotes(folder, { people: [], stocked: false });
  const before = openSync(demoNotesFile(folder), 'r');
  writeDemoNotes(folder, { people: [], stocked: true });
  // A reader that had opened the old notes still reads all of them.
  expect(JSON.parse(readFileSync(before, 'utf8'))).toEqual({ people: [], stocked: false });
  closeSync(before);
  expect(readDemoNotes(folder)).toEqual({ people: [], stocked: true });
  expect(statSync(demoNotesFile(folder)).mode & 0o777).toBe(0o600);
  expect(readdirSync(folder).sort()).toEqual(['demo.json', 'secrets']);
});

test.each(['', '{"people": [{"login": "dem', 'null', '[]', '{"stocked":true}'])(
  'Beside damaged notes nothing starts, and they stay as they are: %s',
  async (text) => {
    writeFileSync(demoNotesFile(folder), text);
    for (const find of [findDemoInStore, findInstanceInStore])
      expect(await find(onSqlite())).toMatchObject({
        name: 'demoNotesDamaged',
        what: expect.stringContaining(demoNotesFile(folder)),
        remedy: expect.stringContaining(`move ${folder} aside`),
      });
    claimForDemo(onSqlite());
    expect(readFileSync(demoNotesFile(folder), 'utf8')).toBe(text);
  },
);
