import { accessSync, constants, existsSync, readdirSync, statfsSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { Finding } from './finding.ts';

/** The system's facts about a file system. */
export interface FileSystem {
  type: number;
  freeBytes: number;
}

const GIB = 2 ** 30;
/** The types of NFS, SMB, CIFS, 9P and FUSE, on which SQLite's locks cannot be relied on. */
const networkTypes = new Set([0x6969, 0x517b, 0xff534d42, 0xfe534d42, 0x01021997, 0x65735546]);

const fileSystemOf = (folder: string): FileSystem => {
  const { type, bavail, bsize } = statfsSync(folder);
  return { type: type >>> 0, freeBytes: bavail * bsize };
};

/** The first part of the data folder that is there and that this user cannot read; null if there is none. */
export function findClosed(dataFolder: string): string | null {
  const parts = [dataFolder, join(dataFolder, 'secrets'), join(dataFolder, 'keepsake.db')];
  const closed = parts.find(isUnreadable);
  if (closed) return closed;
  return secretsIn(dataFolder).find((name) => isUnreadable(join(dataFolder, name))) ?? null;
}

/** The finding about such a folder. */
export const folderClosed = (path: string): Finding => ({
  name: 'dataFolderClosed',
  what: `This user cannot read ${path}.`,
  why: 'What depends on it cannot be examined.',
  remedy:
    'Run this as the user that runs Keepsake. If you do, the path belongs to another user: give it to yours with chown.',
});

/** Examines the data folder: whether it is there, private, on a local disk and has space. */
export function examineFolder(
  dataFolder: string,
  { hasDatabase = true, readFileSystem = fileSystemOf } = {},
): Finding[] {
  if (!existsSync(dataFolder))
    return [
      {
        name: 'dataFolderMissing',
        what: `There is no folder ${dataFolder}.`,
        why: 'Everything is stored in it.',
        remedy: 'Set KEEPSAKE_DATA_DIR to the folder of your instance, or start Keepsake once.',
      },
    ];
  const closed = findClosed(dataFolder);
  if (closed !== null) return [folderClosed(closed)];
  const findings: Finding[] = [];
  if (!isWritable(dataFolder))
    findings.push({
      name: 'dataFolderReadOnly',
      what: `This user cannot write to ${dataFolder}.`,
      why: 'Nothing could be stored.',
      remedy: `Give the folder to the user that runs Keepsake: chown -R USER ${dataFolder}`,
    });
  if (isOpenToOthers(dataFolder))
    findings.push({
      name: 'dataFolderOpenToOthers',
      what: `Other users of this machine can open ${dataFolder}.`,
      why: 'It holds the database, its copies and the key to every stored token.',
      remedy: `Start Keepsake as the owner of the folder, which closes it, or: chmod go-rwx ${dataFolder}`,
    });
  for (const path of ['secrets', 'keepsake.db', ...secretsIn(dataFolder)]) {
    const file = join(dataFolder, path);
    if (existsSync(file) && isOpenToOthers(file))
      findings.push({
        name: path === 'keepsake.db' ? 'databaseOpenToOthers' : 'secretsOpenToOthers',
        what: `Other users of this machine can read ${file}.`,
        why: 'It holds tokens, or the key to them.',
        remedy: `chmod go-rwx ${file}`,
      });
  }
  const fileSystem = readFileSystem(dataFolder);
  // With PostgreSQL the database is elsewhere.
  if (hasDatabase && networkTypes.has(fileSystem.type))
    findings.push({
      name: 'networkFileSystem',
      what: `${dataFolder} is on a network file system.`,
      why: 'SQLite cannot rely on its locks, and the database can be damaged.',
      remedy: 'Move the data folder to a local disk, or use PostgreSQL.',
    });
  findings.push(...examineSpace(dataFolder, sizeOf(join(dataFolder, 'keepsake.db')), fileSystem));
  return findings;
}

/** Examines a folder of backups that is not in the data folder: whether it is there, private, and has space. */
export function examineBackupFolder(
  folder: string,
  dataFolder: string,
  readFileSystem = fileSystemOf,
): Finding[] {
  if (!existsSync(folder)) {
    // The first backup makes it, where it can.
    const parent = dirname(resolve(folder));
    if (existsSync(parent) && isWritable(parent)) return [];
  }
  if (!existsSync(folder) || !isWritable(folder))
    return [
      {
        name: 'backupFolderReadOnly',
        what: `This user cannot write to ${folder}, which BACKUP_DIR names.`,
        why: 'No backup can be made.',
        remedy: `Make it and give it to the user that runs Keepsake; with systemd, add ReadWritePaths=${folder} to the unit.`,
      },
    ];
  const open: Finding[] = isOpenToOthers(folder)
    ? [
        {
          name: 'backupFolderOpenToOthers',
          what: `Other users of this machine can open ${folder}, which BACKUP_DIR names.`,
          why: 'Backups hold the database, and without a passphrase the key to every stored token.',
          remedy: `chmod go-rwx ${folder}`,
        },
      ]
    : [];
  const size = sizeOf(join(dataFolder, 'keepsake.db'));
  return [...open, ...examineSpace(folder, size, readFileSystem(folder))];
}

function examineSpace(folder: string, databaseBytes: number, { freeBytes }: FileSystem): Finding[] {
  const needed = Math.max(GIB, 2 * databaseBytes);
  if (freeBytes >= needed) return [];
  return [
    {
      name: 'spaceLow',
      what: `${folder} has ${(freeBytes / GIB).toFixed(1)} GiB left, and ${(needed / GIB).toFixed(1)} are advisable.`,
      why: 'On a full disk nothing can be stored, and a backup or an upgrade needs a copy of the database.',
      remedy: 'Free space, lower BACKUP_COUNT, or set BACKUP_DIR to another disk.',
    },
  ];
}

function isUnreadable(path: string): boolean {
  try {
    const isFolder = existsSync(path) && statSync(path).isDirectory();
    accessSync(path, isFolder ? constants.R_OK | constants.X_OK : constants.R_OK);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EACCES';
  }
}

function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK | constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function secretsIn(dataFolder: string): string[] {
  const folder = join(dataFolder, 'secrets');
  return existsSync(folder) ? readdirSync(folder).map((name) => join('secrets', name)) : [];
}

const isOpenToOthers = (file: string): boolean => (statSync(file).mode & 0o077) !== 0;
const sizeOf = (file: string): number => (existsSync(file) ? statSync(file).size : 0);
