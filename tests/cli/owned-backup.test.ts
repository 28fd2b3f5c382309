import {
  chownSync,
  existsSync,
  lchownSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { recordBackupStatus } from '#platform/backup-status.ts';
import { InstanceFolder } from '#tests/support/instance-folder.ts';

const SERVICE = 12_345;

/** Only root can give files away. */
const asRoot = test.skipIf(process.getuid?.() !== 0);

/** Lists the files in a folder that do not belong to the user of the service. */
const notOwnedIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => {
    const { uid, gid } = statSync(join(folder, name));
    return uid !== SERVICE || gid !== SERVICE;
  });

function giveAll(folder: string): void {
  chownSync(folder, SERVICE, SERVICE);
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' }))
    chownSync(join(folder, name), SERVICE, SERVICE);
}

asRoot('What root backs up and restores belongs to the user of the service', async () => {
  const { folder } = await InstanceFolder.make();
  giveAll(folder.dataFolder);
  const { folder: backup } = await folder.backUp({ environment: { PUBLIC_URL: 'https://a.example' } });
  recordBackupStatus(folder.backupsFolder, { backup: { atMs: 1, backup, problem: null } });
  expect(notOwnedIn(folder.dataFolder)).toEqual([]);
  expect(await folder.restore(backup)).toMatchObject({ ok: true });
  expect(notOwnedIn(folder.dataFolder)).toEqual([]);
});

asRoot('A folder for backups that is root’s own stays so', async () => {
  const { folder } = await InstanceFolder.make();
  const { folder: backup } = await folder.backUp();
  giveAll(folder.dataFolder);
  chownSync(folder.backupsFolder, 0, 0);
  const { folder: second } = await folder.backUp({ nowMs: 1 });
  expect([backup, second].map((each) => statSync(each).uid)).toEqual([SERVICE, 0]);
});

/** A folder of root's own, outside the data folder. */
function elsewhere(): string {
  const folder = mkdtempSync(join(tmpdir(), 'keepsake-elsewhere-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Puts a link in the place of a file, as the service that owns the folder could. */
function linkAs(owner: number, path: string, target: string): void {
  if (existsSync(path)) renameSync(path, `${path}-before`);
  symlinkSync(target, path);
  lchownSync(path, owner, owner);
}

asRoot.each(['secrets', 'keepsake.db'])(
  'Root restores nothing through a link that the service put in the place of %s',
  async (name) => {
    const { folder } = await InstanceFolder.make();
    const { folder: backup } = await folder.backUp();
    giveAll(folder.dataFolder);
    const target = name === 'secrets' ? elsewhere() : join(elsewhere(), 'new.db');
    linkAs(SERVICE, join(folder.dataFolder, name), target);
    const before = readdirSync(folder.dataFolder);
    expect(await folder.restore(backup)).toMatchObject({
      ok: false,
      code: 'linked',
      why: expect.stringContaining(`${name} is a link of the user ${SERVICE}`),
    });
    expect(readdirSync(folder.dataFolder)).toEqual(before);
    expect(existsSync(target) ? readdirSync(target) : []).toEqual([]);
  },
);

asRoot(
  'Root restores into a data folder that is a link of its own, and not into one of the service',
  async () => {
    const { folder } = await InstanceFolder.make();
    const { folder: backup } = await folder.backUp();
    const target = elsewhere();
    const dataFolder = join(elsewhere(), 'data');
    linkAs(SERVICE, dataFolder, target);
    expect(await folder.restore(backup, { dataFolder })).toMatchObject({ ok: false, code: 'linked' });
    await expect(folder.backUp({ backupsFolder: join(dataFolder, 'backups') })).rejects.toThrow('is a link');
    expect(readdirSync(target)).toEqual([]);
    lchownSync(dataFolder, 0, 0);
    expect(await folder.restore(backup, { dataFolder })).toMatchObject({ ok: true });
    expect(readdirSync(target)).toContain('keepsake.db');
  },
);

asRoot('Root takes no file into a backup that the service links to', async () => {
  const { folder } = await InstanceFolder.make();
  const secret = join(elsewhere(), 'of-root');
  writeFileSync(secret, 'nobody else may read this', { mode: 0o600 });
  giveAll(folder.dataFolder);
  linkAs(SERVICE, join(folder.dataFolder, 'secrets', 'mine'), secret);
  await expect(folder.backUp()).rejects.toThrow('secrets/mine is a link');
});

asRoot('Root records how a backup ended in no folder that the service links to', async () => {
  const { folder } = await InstanceFolder.make();
  const target = elsewhere();
  linkAs(SERVICE, folder.backupsFolder, target);
  const record = () => recordBackupStatus(folder.backupsFolder, { backup: null });
  expect(record).toThrow('is a link');
  rmSync(folder.backupsFolder);
  chownSync(target, SERVICE, SERVICE);
  // The name that it has while it is written can be guessed.
  const victim = join(elsewhere(), 'of-root');
  writeFileSync(victim, 'as it was');
  linkAs(SERVICE, join(target, `status.json.${process.pid}`), victim);
  linkAs(SERVICE, folder.backupsFolder, target);
  record();
  expect([readFileSync(victim, 'utf8'), readdirSync(target)]).toEqual(['as it was', ['status.json']]);
});
