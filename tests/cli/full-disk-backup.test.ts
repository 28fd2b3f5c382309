import { readdirSync } from 'node:fs';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { readBackupStatus } from '#platform/backup-status.ts';
import { testKey } from '#tests/support/database.ts';
import { InstanceFolder } from '#tests/support/instance-folder.ts';
import { printedDuring } from '#tests/support/printed.ts';
import { runDrill } from '../../cli/backup/commands.ts';

const sound = { freeBytes: 2 ** 40, isBroken: false };
const disk = vi.hoisted(() => ({ freeBytes: 2 ** 40, isBroken: false }));
vi.mock('node:fs', async (original) => {
  const fs = await original<typeof import('node:fs')>();
  return {
    ...fs,
    statfsSync: () => ({ bavail: disk.freeBytes, bsize: 1 }),
    copyFileSync: (from: string, to: string) => {
      if (disk.isBroken) throw new Error('EIO: i/o error');
      fs.copyFileSync(from, to);
    },
  };
});
afterEach(() => void Object.assign(disk, sound));

/** Runs `keepsake drill` and returns how it was recorded. */
async function drillByCommand(folder: InstanceFolder) {
  for (const name of ['BACKUP_DIR', 'DATABASE_URL', 'BACKUP_PASSPHRASE', 'ENCRYPTION_KEY_FILE'])
    vi.stubEnv(name, undefined);
  vi.stubEnv('KEEPSAKE_DATA_DIR', folder.dataFolder);
  vi.stubEnv('ENCRYPTION_KEY', testKey);
  onTestFinished(() => void vi.unstubAllEnvs());
  const printed = await printedDuring(async () => void (await runDrill([])));
  return { printed, recorded: readBackupStatus(folder.backupsFolder).drill };
}

test('Nothing is written where there is no space for all of it, and the reason says how much is needed', async () => {
  const { folder } = await InstanceFolder.make();
  disk.freeBytes = 2 ** 20;
  const lack = /has 0\.001 GiB left, and 0\.00\d GiB are needed/;
  await expect(folder.backUp()).rejects.toThrow(lack);
  expect(readdirSync(folder.backupsFolder)).toEqual([]);
  disk.freeBytes = sound.freeBytes;
  const { folder: backup } = await folder.backUp();
  disk.freeBytes = 2 ** 10;
  const noSpace = { ok: false, code: 'noSpace', why: expect.stringContaining('GiB are needed') };
  expect(await folder.drill(backup)).toMatchObject(noSpace);
  expect(await folder.restore(backup)).toMatchObject(noSpace);
  expect(readdirSync(folder.dataFolder).filter((name) => /^(unpacked|replaced)/.test(name))).toEqual([]);
});

test('A drill that ends with an error of the disk is recorded, so that it does not repeat at once', async () => {
  const { folder } = await InstanceFolder.make();
  const { folder: backup } = await folder.backUp();
  disk.isBroken = true;
  const { printed, recorded } = await drillByCommand(folder);
  expect(recorded).toMatchObject({ backup, problem: 'EIO: i/o error' });
  expect(printed).toEqual([`${backup} is refused: EIO: i/o error`]);
});
