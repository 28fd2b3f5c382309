import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { eq } from 'drizzle-orm';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { type Database, openSqlite } from '#db/database.ts';
import { migrateSqlite } from '#db/migrate.ts';
import { items } from '#db/schema/item.ts';
import { readBackupStatus, recordBackupStatus } from '#platform/backup-status.ts';
import { BetterSqlite } from '#tests/support/better-sqlite.ts';
import { addBot, addStreamer, asset, deposit, type Person } from '#tests/support/fixtures.ts';
import { itemsOf } from '#tests/support/looking.ts';
import { bundleOf } from '#tests/support/processes.ts';
import { runDrill } from '../../cli/backup/commands.ts';
import { makeBackup } from '../../cli/backup/make-backup.ts';
import { instanceTagOf, MANIFEST_FILE } from '../../cli/backup/manifest.ts';
import { drillBackup, restoreBackup } from '../../cli/backup/restore-backup.ts';
import { lockStore } from '../../cli/backup/store-lock.ts';

const NOW_MS = Date.UTC(2026, 10, 23, 3);
const HOUR_MS = 3_600_000;

let dataFolder: string;
let backupsFolder: string;
let streamer: Person;

/** An instance's data folder with two items in custody. */
beforeEach(async () => {
  dataFolder = mkdtempSync(join(tmpdir(), 'keepsake-backup-'));
  backupsFolder = join(dataFolder, 'backups');
  onTestFinished(() => rmSync(dataFolder, { recursive: true, force: true }));
  mkdirSync(join(dataFolder, 'secrets'));
  writeFileSync(join(dataFolder, 'secrets', 'encryption-key'), 'first key');
  await migrateSqlite(storeFile());
  await inStore(async (db) => {
    await addBot(db, 'bot-1');
    streamer = await addStreamer(db);
    await deposit(db, streamer, [asset(), asset()]);
  });
});

const storeFile = () => join(dataFolder, 'keepsake.db');

async function inStore<T>(act: (db: Database) => Promise<T>): Promise<T> {
  const db = await openSqlite(storeFile());
  try {
    return await act(db);
  } finally {
    await db.close();
  }
}

const back = (facts: Partial<Parameters<typeof makeBackup>[0]> = {}) =>
  makeBackup({
    dataFolder,
    backupsFolder,
    environment: {},
    passphrase: null,
    instance: 'ours',
    nowMs: NOW_MS,
    ...facts,
  });
const restore = (folder: string, passphrase: string | null = null, isStopped = false) =>
  restoreBackup(folder, {
    dataFolder,
    passphrase,
    nowMs: NOW_MS + HOUR_MS,
    isStopped,
    configuredKey: null,
  });
const drill = (folder: string, passphrase: string | null = null) =>
  drillBackup(folder, { dataFolder, passphrase });
const itemsInStore = () => inStore((db) => itemsOf(db, streamer.userId));
const key = () => readFileSync(join(dataFolder, 'secrets', 'encryption-key'), 'utf8');

test('A backup made while others write is restored, and what was there stays beside it', async () => {
  const { folder, counts } = await inStore(async (db) => {
    await db.transaction((tx) => tx.update(items).set({ iconUrl: 'not yet in the file' }));
    return back();
  });
  expect(counts).toMatchObject({ items: 2, ledgerEntries: 2, users: 1 });
  await inStore((db) => deposit(db, streamer, [asset()]));
  writeFileSync(join(dataFolder, 'secrets', 'encryption-key'), 'second key');
  const restored = await restore(folder);
  expect(restored).toMatchObject({ ok: true, counts, madeAtMs: NOW_MS });
  const held = await itemsInStore();
  expect(held.map(({ iconUrl }) => iconUrl)).toEqual(['not yet in the file', 'not yet in the file']);
  expect(key()).toBe('first key');
  const replaced = restored.replaced ?? '';
  expect(readFileSync(join(replaced, 'secrets', 'encryption-key'), 'utf8')).toBe('second key');
  const old = await openSqlite(join(replaced, 'keepsake.db'));
  expect(await old.read.$count(items)).toBe(3);
  await old.close();
  expect(readdirSync(dataFolder).filter((name) => name.startsWith('unpacked'))).toEqual([]);
});

test('A restore where nothing was leaves no folder for it, and names none', async () => {
  const { folder } = await back();
  for (const name of readdirSync(dataFolder).filter((each) => each !== 'backups'))
    rmSync(join(dataFolder, name), { recursive: true });
  const restored = await restore(folder);
  expect(restored).toMatchObject({ ok: true });
  expect(restored.replaced).toBeNull();
  expect(key()).toBe('first key');
  expect(readdirSync(dataFolder).filter((name) => name.startsWith('replaced'))).toEqual([]);
});

test('Nothing is restored while a process has the database open', async () => {
  const { folder } = await back();
  const refused = await inStore(() => restore(folder));
  expect(refused).toMatchObject({ ok: false, code: 'running' });
  expect(await restore(folder)).toMatchObject({ ok: true });
});

test('Nothing is restored if a process has opened the database while the backup was unpacked', async () => {
  const { folder } = await back();
  const restoring = restore(folder);
  while (!readdirSync(dataFolder).some((name) => name.startsWith('unpacked'))) await nextTurn();
  const store = new BetterSqlite(storeFile());
  store.pragma('journal_mode = WAL');
  expect(store.prepare('select count(*) from items').pluck().get()).toBe(2);
  expect(await restoring).toMatchObject({ ok: false, code: 'running' });
  store.close();
  expect(readdirSync(dataFolder).filter((name) => /^(unpacked|replaced)/.test(name))).toEqual([]);
  expect(await restore(folder)).toMatchObject({ ok: true });
});

test('A locked database stays locked while it gets a second name and is replaced', async () => {
  const lock = await lockStore(storeFile());
  if (lock.state !== 'locked') throw new Error(lock.state);
  linkSync(storeFile(), join(dataFolder, 'second'));
  copyFileSync(join(dataFolder, 'secrets', 'encryption-key'), join(dataFolder, 'new'));
  renameSync(join(dataFolder, 'new'), storeFile());
  const read = spawnSync(process.execPath, [bundleOf('read-store'), join(dataFolder, 'second')]);
  expect(String(read.stdout)).toBe('SQLITE_BUSY');
  lock.release();
  const old = new BetterSqlite(join(dataFolder, 'second'), { timeout: 0 });
  expect(old.prepare('select count(*) from items').pluck().get()).toBe(2);
  old.close();
});

test('A database too damaged to say who has it open is replaced only if the operator says that all is stopped', async () => {
  const { folder } = await back();
  writeFileSync(
    storeFile(),
    'no database at all, but longer than the header of one would have to be '.repeat(9),
  );
  const refused = await restore(folder);
  expect(refused).toMatchObject({ ok: false, code: 'unclear', why: expect.stringContaining('--stopped') });
  expect(await restore(folder, null, true)).toMatchObject({ ok: true });
  expect(await itemsInStore()).toHaveLength(2);
});

test.each(['keepsake.db', 'secrets/encryption-key', 'settings.env'])(
  'A backup whose %s was altered is refused, and the instance stays as it is',
  async (name) => {
    const { folder } = await back();
    const bytes = readFileSync(join(folder, name));
    writeFileSync(join(folder, name), Buffer.concat([bytes.subarray(0, -1), Buffer.from('x')]));
    expect(await restore(folder)).toMatchObject({ ok: false, code: 'altered' });
    expect(await drill(folder)).toMatchObject({ ok: false, code: 'altered' });
    expect(await itemsInStore()).toHaveLength(2);
    expect(key()).toBe('first key');
  },
);

test('A folder that is no backup is refused', async () => {
  expect(await restore(dataFolder)).toMatchObject({ ok: false, code: 'notABackup' });
});

test('An encrypted backup shows nothing, and only its passphrase opens it', async () => {
  const passphrase = 'a sentence that nobody knows';
  const { folder } = await back({ passphrase, environment: { TWITCH_CLIENT_SECRET: 'hidden' } });
  for (const name of ['keepsake.db', 'secrets/encryption-key', 'settings.env']) {
    const bytes = readFileSync(join(folder, name));
    for (const text of ['SQLite format', 'first key', 'hidden']) expect(bytes.includes(text)).toBe(false);
  }
  expect(await restore(folder)).toMatchObject({ ok: false, code: 'passphraseNeeded' });
  expect(await restore(folder, 'another sentence')).toMatchObject({ ok: false, code: 'passphraseWrong' });
  expect(await restore(folder, passphrase)).toMatchObject({ ok: true });
  expect(key()).toBe('first key');
});

test('While an encrypted backup is made or proven, nothing readable is beside it, and what a killed process left goes', async () => {
  const passphrase = 'a sentence that nobody knows';
  const killed = spawnSync(process.execPath, ['-e', '']).pid;
  mkdirSync(join(dataFolder, `unpacked-${killed}`));
  mkdirSync(join(dataFolder, `unpacked-${process.ppid}`));
  const seen = new Set<string>();
  const look = async <T>(work: Promise<T>): Promise<T> => {
    let isOver = false;
    const done = work.finally(() => {
      isOver = true;
    });
    for (; !isOver; await nextTurn()) {
      for (const name of readdirSync(dataFolder).filter((each) => each === `unpacked-${process.pid}`))
        seen.add(`${name} ${(statSync(join(dataFolder, name)).mode & 0o777).toString(8)}`);
      for (const name of existsSync(backupsFolder) ? readdirSync(backupsFolder) : []) {
        const store = join(backupsFolder, name, 'keepsake.db');
        if (existsSync(store) && readFileSync(store).includes('SQLite format')) seen.add('readable');
        if (!name.startsWith('keepsake-')) seen.add(name);
      }
    }
    return done;
  };
  const { folder } = await look(back({ passphrase }));
  expect([...seen]).toEqual([`unpacked-${process.pid} 700`]);
  expect(await look(drill(folder, passphrase))).toMatchObject({ ok: true });
  expect([...seen]).toEqual([`unpacked-${process.pid} 700`]);
  expect(readdirSync(dataFolder).filter((name) => name.startsWith('unpacked'))).toEqual([
    `unpacked-${process.ppid}`,
  ]);
});

test('A backup of a newer schema is refused', async () => {
  const { folder } = await back();
  const manifest = JSON.parse(readFileSync(join(folder, MANIFEST_FILE), 'utf8'));
  writeFileSync(join(folder, MANIFEST_FILE), JSON.stringify({ ...manifest, migrations: 9999 }));
  expect(await restore(folder)).toMatchObject({ ok: false, code: 'newerSchema' });
});

test('A backup whose counts do not agree is refused', async () => {
  const { folder } = await back();
  const manifest = JSON.parse(readFileSync(join(folder, MANIFEST_FILE), 'utf8'));
  const counts = { ...manifest.counts, items: 3 };
  writeFileSync(join(folder, MANIFEST_FILE), JSON.stringify({ ...manifest, counts }));
  expect(await drill(folder)).toMatchObject({
    code: 'storeFaulty',
    why: 'it has 2 items instead of 3',
  });
});

test('An item that differed from the ledger is restored as it was, and any other is refused', async () => {
  const [first] = await itemsInStore();
  const itemId = first?.id ?? '';
  await inStore((db) =>
    db.transaction((tx) => tx.update(items).set({ state: 'gone' }).where(eq(items.id, itemId))),
  );
  const { folder } = await back();
  const drifts = [{ itemId, holder: 'gone', rebuilt: 'held:bot-1' }];
  expect(await drill(folder)).toMatchObject({ ok: true, drifts });
  expect(await restore(folder)).toMatchObject({ ok: true, drifts });

  const manifest = JSON.parse(readFileSync(join(folder, MANIFEST_FILE), 'utf8'));
  for (const others of [undefined, [], [{ ...drifts[0], rebuilt: null }]]) {
    writeFileSync(join(folder, MANIFEST_FILE), JSON.stringify({ ...manifest, drifts: others }));
    expect(await drill(folder)).toMatchObject({
      code: 'storeFaulty',
      why: `the ledger does not lead to the holder of 1 items, such as ${itemId}`,
    });
  }
});

test('A drill counts if it restores a backup of this instance, wherever that is, and no copy of another one', async () => {
  for (const name of ['KEEPSAKE_BACKUP_DIR', 'DATABASE_URL', 'BACKUP_PASSPHRASE', 'ENCRYPTION_KEY'])
    vi.stubEnv(name, undefined);
  vi.stubEnv('KEEPSAKE_DATA_DIR', dataFolder);
  onTestFinished(() => void vi.unstubAllEnvs());
  vi.spyOn(console, 'log').mockReturnValue();
  const counted = async (backup: string) => {
    expect(await runDrill([backup])).toBe(true);
    return readBackupStatus(backupsFolder).drill?.backup;
  };
  const elsewhere = mkdtempSync(join(tmpdir(), 'keepsake-copies-'));
  onTestFinished(() => rmSync(elsewhere, { recursive: true, force: true }));
  const theirs = await back({ instance: 'theirs', backupsFolder: elsewhere });
  expect(await counted(theirs.folder)).toBeUndefined();
  const instance = instanceTagOf(key());
  const ours = await back({ instance, backupsFolder: elsewhere, nowMs: NOW_MS + HOUR_MS });
  expect(await counted(ours.folder)).toBe(ours.folder);
  expect(await counted(theirs.folder)).toBe(ours.folder);
});

test('The status of backups survives, each part by itself', () => {
  expect(readBackupStatus(backupsFolder)).toEqual({ backup: null, drill: null });
  const backup = { atMs: 1, backup: 'a', problem: null };
  const drill = { atMs: 2, backup: 'a', problem: 'damaged' };
  recordBackupStatus(backupsFolder, { backup });
  recordBackupStatus(backupsFolder, { drill });
  expect(readBackupStatus(backupsFolder)).toEqual({ backup, drill });
});
