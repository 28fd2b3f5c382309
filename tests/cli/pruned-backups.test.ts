import { existsSync, mkdirSync, readdirSync, renameSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { readBackupStatus } from '#platform/backup-status.ts';
import { testKey } from '#tests/support/database.ts';
import { BACKED_UP_MS, InstanceFolder, ourTag } from '#tests/support/instance-folder.ts';
import { printedDuring } from '#tests/support/printed.ts';
import { runBackup } from '../../cli/backup/commands.ts';
import { listBackups, partialOf, pruneBackups } from '../../cli/backup/manifest.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const LATER_MS = BACKED_UP_MS + 30 * DAY_MS;
const asOurs = { instance: ourTag, nowMs: LATER_MS };

/** Paths that cannot be deleted or written here. */
const failing = vi.hoisted(() => new Set<string>());
vi.mock('node:fs', async (original) => {
  const fs = await original<typeof import('node:fs')>();
  const refuse = (path: string) => {
    if ([...failing].some((part) => path.includes(part))) throw new Error(`EIO: ${path}`);
  };
  return {
    ...fs,
    rmSync: (path: string, options: object) => {
      refuse(path);
      fs.rmSync(path, options);
    },
    renameSync: (from: string, to: string) => {
      refuse(from);
      fs.renameSync(from, to);
    },
  };
});
const failOn = (part: string) => {
  failing.add(part);
  onTestFinished(() => failing.clear());
};

/** Backups of several days, oldest first. */
async function makeDays(folder: InstanceFolder, days: number): Promise<string[]> {
  const made: string[] = [];
  for (let day = 0; day < days; day += 1)
    made.push((await folder.backUp({ nowMs: BACKED_UP_MS + day * DAY_MS })).folder);
  return made;
}

test('Only the newest backups stay, and what an interrupted one left goes once nobody writes to it', async () => {
  const { folder } = await InstanceFolder.make();
  const made = await makeDays(folder, 3);
  const interrupted = partialOf(join(folder.backupsFolder, 'keepsake-2026-11-30T03-00-00-000Z'), ourTag);
  mkdirSync(interrupted);
  writeFileSync(join(interrupted, 'keepsake.db'), 'half');
  const justNow = { instance: ourTag, nowMs: Date.now() };
  expect(pruneBackups(folder.backupsFolder, 3, justNow)).toEqual({ deleted: [], failures: [] });
  expect(existsSync(interrupted)).toBe(true);
  for (const path of [join(interrupted, 'keepsake.db'), interrupted]) utimesSync(path, 1, 1);
  expect(pruneBackups(folder.backupsFolder, 2, asOurs)).toEqual({
    deleted: made.slice(0, 1),
    failures: [],
  });
  expect(listBackups(folder.backupsFolder, ourTag, { nowMs: LATER_MS })).toEqual(made.slice(1));
  expect(readdirSync(folder.backupsFolder)).toHaveLength(2);
});

test('What is no backup of this instance is not listed and never deleted', async () => {
  const { folder } = await InstanceFolder.make();
  const theirs = (await folder.backUp({ instance: 'theirs' })).folder;
  const others = [
    'keepsake-notes',
    'keepsake-2026-01-01T03-00-00-000Z',
    'keepsake-2026-01-01T03-00-00-000Z-before-the-move',
    'keepsake-2026-01-01T03-00-00-000Z.theirs.partial',
    `old.${ourTag}.partial`,
  ].map((name) => join(folder.backupsFolder, name));
  for (const other of others) {
    mkdirSync(other);
    utimesSync(other, 1, 1);
  }
  const first = (await folder.backUp({ nowMs: BACKED_UP_MS + HOUR_MS })).folder;
  const last = (await folder.backUp({ nowMs: BACKED_UP_MS + 2 * HOUR_MS })).folder;
  expect(pruneBackups(folder.backupsFolder, 1, asOurs).deleted).toEqual([first]);
  expect(listBackups(folder.backupsFolder, ourTag, { nowMs: LATER_MS })).toEqual([last]);
  const stay = readdirSync(folder.backupsFolder).map((name) => join(folder.backupsFolder, name));
  expect(stay).toEqual([...others, theirs, last].sort());
});

test('Backups from a time ahead of the clock are the first to go and never the newest', async () => {
  const { folder } = await InstanceFolder.make();
  const ahead = (await folder.backUp({ nowMs: LATER_MS + 300 * DAY_MS })).folder;
  const made = await makeDays(folder, 2);
  expect(listBackups(folder.backupsFolder, ourTag, { nowMs: LATER_MS })).toEqual([ahead, ...made]);
  expect(pruneBackups(folder.backupsFolder, 2, asOurs).deleted).toEqual([ahead]);
});

test('A backup that cannot be deleted keeps no other from it', async () => {
  const { folder } = await InstanceFolder.make();
  const made = await makeDays(folder, 4);
  failOn(made[0] ?? '');
  expect(pruneBackups(folder.backupsFolder, 1, asOurs)).toEqual({
    deleted: made.slice(1, 3),
    failures: [expect.stringContaining(`${made[0]} cannot be deleted: EIO`)],
  });
});

test('A backup of which only half could be deleted is no backup any more, and the rest goes later', async () => {
  const { folder } = await InstanceFolder.make();
  const [first = '', second = ''] = await makeDays(folder, 2);
  failOn('.partial');
  const { failures } = pruneBackups(folder.backupsFolder, 1, asOurs);
  expect(failures).toHaveLength(1);
  expect(existsSync(first)).toBe(false);
  failing.clear();
  pruneBackups(folder.backupsFolder, 1, { instance: ourTag, nowMs: Date.now() + 2 * HOUR_MS });
  expect(readdirSync(folder.backupsFolder)).toEqual([second.split('/').at(-1)]);
});

/** Runs `keepsake backup` and returns what it printed. */
async function backUpByCommand(folder: InstanceFolder): Promise<{ ok: boolean; printed: string[] }> {
  for (const name of ['BACKUP_DIR', 'DATABASE_URL', 'BACKUP_PASSPHRASE', 'ENCRYPTION_KEY_FILE'])
    vi.stubEnv(name, undefined);
  vi.stubEnv('KEEPSAKE_DATA_DIR', folder.dataFolder);
  vi.stubEnv('BACKUP_COUNT', '1');
  vi.stubEnv('ENCRYPTION_KEY', testKey);
  onTestFinished(() => void vi.unstubAllEnvs());
  let ok = false;
  const printed = await printedDuring(async () => {
    ok = await runBackup([]);
  });
  return { ok, printed };
}

test('A backup is good though an old one cannot be deleted', async () => {
  const { folder } = await InstanceFolder.make();
  const [old = ''] = await makeDays(folder, 1);
  failOn(old);
  const { ok, printed } = await backUpByCommand(folder);
  expect(ok).toBe(true);
  expect(printed).toContainEqual(expect.stringContaining(`${old} cannot be deleted`));
  expect(readBackupStatus(folder.backupsFolder).backup).toMatchObject({ problem: null });
});

test('A status that cannot be written hides neither a backup nor why there is none', async () => {
  const { folder } = await InstanceFolder.make();
  failOn('status.json');
  const made = await backUpByCommand(folder);
  expect(made).toEqual({
    ok: true,
    printed: [expect.stringContaining('cannot be recorded'), expect.stringContaining('2 items')],
  });
  renameSync(folder.storeFile, `${folder.storeFile}.away`);
  const failed = await backUpByCommand(folder);
  expect(failed).toEqual({
    ok: false,
    printed: [
      expect.stringContaining('No backup: there is no database'),
      expect.stringContaining('cannot be recorded'),
    ],
  });
});
