import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { readBackupStatus } from '#platform/backup-status.ts';
import { BetterSqlite } from '#tests/support/better-sqlite.ts';
import { testKey } from '#tests/support/database.ts';
import { BACKED_UP_MS, InstanceFolder } from '#tests/support/instance-folder.ts';
import { printedDuring } from '#tests/support/printed.ts';
import { runDrill } from '../../cli/backup/commands.ts';
import { MANIFEST_FILE, type Manifest } from '../../cli/backup/manifest.ts';

/** A file system without hard links. */
const links = vi.hoisted(() => ({ refusedWith: '' }));
vi.mock('node:fs', async (original) => {
  const fs = await original<typeof import('node:fs')>();
  return {
    ...fs,
    linkSync: (from: string, to: string) => {
      if (links.refusedWith) throw Object.assign(new Error('refused'), { code: links.refusedWith });
      fs.linkSync(from, to);
    },
  };
});
afterEach(() => {
  links.refusedWith = '';
});

const passphrase = 'a sentence that nobody knows';

/** Changes a backup as somebody would who can write to its folder. */
function alter(backup: string, change: (manifest: Manifest) => void): void {
  const file = join(backup, MANIFEST_FILE);
  const manifest = JSON.parse(readFileSync(file, 'utf8')) as Manifest;
  change(manifest);
  writeFileSync(file, JSON.stringify(manifest));
}

const digestOf = (file: string) => createHash('sha256').update(readFileSync(file)).digest('hex');

test.each(['../secrets/encryption-key', '/etc/passwd', 'secrets/../../x', 'secrets/a/b', '..', 'secrets/..'])(
  'A backup that names %s is none',
  async (name) => {
    const { folder } = await InstanceFolder.make();
    const { folder: backup } = await folder.backUp();
    alter(backup, ({ files }) => files.push({ name, sha256: '' }));
    expect(await folder.drill(backup)).toMatchObject({ ok: false, code: 'notABackup' });
    expect(await folder.restore(backup)).toMatchObject({ ok: false, code: 'notABackup' });
  },
);

test('Whoever encrypts backups restores no other without saying so', async () => {
  const { folder } = await InstanceFolder.make();
  const { folder: backup } = await folder.backUp();
  const notEncrypted = { ok: false, code: 'notEncrypted', why: expect.stringContaining('BACKUP_PASSPHRASE') };
  expect(await folder.drill(backup, passphrase)).toMatchObject(notEncrypted);
  expect(await folder.restore(backup, { passphrase })).toMatchObject(notEncrypted);
  expect(await folder.restore(backup)).toMatchObject({ ok: true });
});

test('Until the first backup after a passphrase was set, the drill proves the newest as it was made', async () => {
  const { folder } = await InstanceFolder.make();
  for (const name of ['BACKUP_DIR', 'DATABASE_URL', 'ENCRYPTION_KEY']) vi.stubEnv(name, undefined);
  vi.stubEnv('KEEPSAKE_DATA_DIR', folder.dataFolder);
  vi.stubEnv('BACKUP_PASSPHRASE', passphrase);
  onTestFinished(() => void vi.unstubAllEnvs());
  const drilled = async () => {
    const printed = await printedDuring(async () => void (await runDrill([])));
    return { printed, drill: readBackupStatus(folder.backupsFolder).drill };
  };
  const { folder: plain } = await folder.backUp();
  expect(await drilled()).toEqual({
    printed: [
      `${plain} is not encrypted: it is from before BACKUP_PASSPHRASE was set.`,
      expect.stringContaining(`${plain} can be restored`),
    ],
    drill: { atMs: expect.any(Number), backup: plain, problem: null },
  });
  const { folder: encrypted } = await folder.backUp({ passphrase, nowMs: BACKED_UP_MS + 1 });
  // From now on one that is not encrypted may be anybody's.
  await folder.backUp({ nowMs: BACKED_UP_MS + 2 });
  expect(await drilled()).toEqual({
    printed: [expect.stringContaining(`${encrypted} can be restored`)],
    drill: { atMs: expect.any(Number), backup: encrypted, problem: null },
  });
});

test('An empty file in an encrypted backup is opened, and one that was cut off is refused', async () => {
  const { folder } = await InstanceFolder.make();
  writeFileSync(join(folder.dataFolder, 'secrets', 'empty'), '');
  const { folder: backup } = await folder.backUp({ passphrase });
  expect(await folder.drill(backup, passphrase)).toMatchObject({ ok: true });
  const empty = join(backup, 'secrets', 'empty');
  writeFileSync(empty, readFileSync(empty).subarray(0, 20));
  alter(backup, ({ files }) => {
    for (const file of files) if (file.name === 'secrets/empty') file.sha256 = digestOf(empty);
  });
  expect(await folder.drill(backup, passphrase)).toMatchObject({ ok: false, code: 'passphraseWrong' });
});

test('A page that is damaged is found though its checksum is right', async () => {
  const { folder } = await InstanceFolder.make();
  const { folder: backup } = await folder.backUp();
  const file = join(backup, 'keepsake.db');
  const store = new BetterSqlite(file);
  const root = store
    .prepare("select rootpage from sqlite_master where name = 'ledger_entries'")
    .pluck()
    .get();
  const size = store.pragma('page_size', { simple: true }) as number;
  store.close();
  const bytes = readFileSync(file);
  bytes.fill(0xff, ((root as number) - 1) * size + 8, (root as number) * size);
  writeFileSync(file, bytes);
  alter(backup, ({ files }) => {
    for (const each of files) if (each.name === 'keepsake.db') each.sha256 = digestOf(file);
  });
  const damaged = { ok: false, code: 'storeFaulty', why: expect.stringMatching(/^SQLite/) };
  expect(await folder.drill(backup)).toMatchObject(damaged);
  expect(await folder.restore(backup)).toMatchObject(damaged);
});

test('A journal that a killed process left does not change the restored database', async () => {
  const { folder } = await InstanceFolder.make();
  const { folder: backup } = await folder.backUp();
  const journal = `${folder.storeFile}-journal`;
  rmSync(folder.storeFile);
  writeFileSync(journal, 'what was to be undone in the old database');
  const restored = await folder.restore(backup);
  expect(restored).toMatchObject({ ok: true });
  expect(existsSync(journal)).toBe(false);
  expect(readdirSync(restored.replaced ?? '')).toContain('keepsake.db-journal');
});

test.each(['EPERM', 'ENOTSUP', 'ENOSYS'])(
  'A backup is restored where links are refused with %s',
  async (code) => {
    const { folder } = await InstanceFolder.make();
    const { folder: backup } = await folder.backUp();
    links.refusedWith = code;
    const restored = await folder.restore(backup);
    expect(restored).toMatchObject({ ok: true });
    const replaced = restored.replaced ?? '';
    expect(readFileSync(join(replaced, 'secrets', 'encryption-key'), 'utf8')).toBe(testKey);
    const old = new BetterSqlite(join(replaced, 'keepsake.db'));
    expect(old.prepare('select count(*) from items').pluck().get()).toBe(2);
    old.close();
    links.refusedWith = 'EIO';
    const nowMs = Date.now();
    await expect(folder.restore(backup, { nowMs })).rejects.toThrow('refused');
  },
);
