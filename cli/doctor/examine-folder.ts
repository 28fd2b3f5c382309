import { accessSync, constants, existsSync, readdirSync, statfsSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { inMib, MIN_FREE_BYTES } from '#platform/free-space.ts';
import type { Finding } from './finding.ts';

/** The system's facts about a file system. */
export interface FileSystem {
  type: number;
  freeBytes: number;
}

const GIB = 2 ** 30;
/** The types of NFS, SMB, CIFS and 9P, on which SQLite's locks cannot be relied on. */
const networkTypes = new Set([0x6969, 0x517b, 0xff534d42, 0xfe534d42, 0x01021997]);
/** The type of FUSE, which carries network file systems, such as sshfs, and local ones, such as NTFS. */
const FUSE = 0x65735546;

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
export const folderClosed = (path: string, dataFolder: string): Finding => ({
  name: 'dataFolderClosed',
  what: `${capital(thisUser())} cannot read ${path}${ownerOf(path)}.`,
  why: 'The key and the database are in it.',
  remedy: `Run this as the user that runs Keepsake; if ${thisUser()} is that user, give it the folder, as root: ${chown(dataFolder)}`,
});

const thisUser = (): string => {
  const uid = process.getuid?.();
  return uid === undefined ? 'this user' : nameOf(uid);
};

const nameOf = (uid: number): string => (uid === 0 ? 'root' : `user ${uid}`);

/** Begins a sentence. */
const capital = (words: string): string => words.charAt(0).toUpperCase() + words.slice(1);

/** Names the owner of a path, or of the nearest folder above it that is visible, unless it is this user. */
function ownerOf(path: string): string {
  try {
    const { uid } = statSync(path);
    return uid === process.getuid?.() ? '' : `, which belongs to ${nameOf(uid)}`;
  } catch {
    const above = dirname(resolve(path));
    return above === resolve(path) ? '' : ownerOf(above);
  }
}

/** The command by which root gives a folder to this user. */
const chown = (folder: string): string =>
  `chown -R ${process.getuid?.() ?? 'USER'}:${process.getgid?.() ?? 'GROUP'} ${resolve(folder)}`;

/** Finds out why nothing can start on a data folder: it cannot be made, read or written, or its disk is none for it. */
export function findFolderObstacles(
  dataFolder: string,
  { hasDatabase = true, readFileSystem = fileSystemOf } = {},
): Finding[] {
  const there = nearestOf(dataFolder);
  if (!statSync(there).isDirectory())
    return [
      {
        name: 'dataFolderBlocked',
        what: `There can be no folder ${dataFolder}, because ${there} is a file.`,
        why: 'Everything is stored in the data folder.',
        remedy: 'Set KEEPSAKE_DATA_DIR to a folder, or move the file away.',
      },
    ];
  const closed = findClosed(dataFolder);
  if (closed !== null) return [folderClosed(closed, dataFolder)];
  const unwritable = [there, ...partsIn(dataFolder)].find((path) => !isWritable(path));
  if (unwritable !== undefined) return [folderReadOnly(unwritable, dataFolder)];
  const fileSystem = readFileSystem(there);
  return [
    ...examineNetwork(dataFolder, fileSystem, hasDatabase).filter(({ name }) => name === 'networkFileSystem'),
    ...(fileSystem.freeBytes < MIN_FREE_BYTES ? [spaceShort(dataFolder, fileSystem)] : []),
  ];
}

/** A path, or the nearest folder above it that is there. */
const nearestOf = (path: string): string => (existsSync(path) ? path : nearestOf(dirname(resolve(path))));

/** The parts of a data folder that a start writes to. */
const partsIn = (dataFolder: string): string[] =>
  [
    ...['secrets', 'keepsake.db', 'keepsake.db-wal', 'keepsake.db-shm', 'demo.json'],
    ...['instance.lock', 'running.txt'],
  ]
    .map((name) => join(dataFolder, name))
    .filter((path) => existsSync(path));

const folderReadOnly = (path: string, dataFolder: string): Finding => ({
  name: 'dataFolderReadOnly',
  what: isOfReadOnlyDisk(path)
    ? `${path} is on a disk that is mounted read-only.`
    : `${capital(thisUser())} cannot write to ${path}${ownerOf(path)}.`,
  why: 'Nothing could be stored.',
  remedy: isOfReadOnlyDisk(path)
    ? 'Mount it writable, or set KEEPSAKE_DATA_DIR to another folder.'
    : existsSync(dataFolder)
      ? `Give the folder to the user that runs Keepsake, as root: ${chown(dataFolder)}`
      : `Make the folder for the user that runs Keepsake, as root: mkdir -p ${resolve(dataFolder)} && ${chown(dataFolder)}`,
});

const spaceShort = (folder: string, { freeBytes }: FileSystem): Finding => ({
  name: 'spaceShort',
  what: `${folder} has ${inMib(freeBytes)} left.`,
  why: 'A start needs 64 MiB, so that an upgrade or a claim does not end halfway.',
  remedy: 'Free space, or set KEEPSAKE_DATA_DIR to a folder on another disk.',
});

/** With PostgreSQL the database is elsewhere. */
function examineNetwork(dataFolder: string, { type }: FileSystem, hasDatabase: boolean): Finding[] {
  if (!hasDatabase || !(type === FUSE || networkTypes.has(type))) return [];
  const isFuse = type === FUSE;
  return [
    {
      name: isFuse ? 'fuseFileSystem' : 'networkFileSystem',
      what: isFuse
        ? `${dataFolder} is on a FUSE file system, which may be a network's.`
        : `${dataFolder} is on a network file system.`,
      why: 'SQLite cannot rely on its locks, and the database can be damaged.',
      remedy: 'Move the data folder to a local disk, or use PostgreSQL.',
    },
  ];
}

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
  if (closed !== null) return [folderClosed(closed, dataFolder)];
  const findings: Finding[] = [];
  const unwritable = [dataFolder, ...partsIn(dataFolder)].find((path) => !isWritable(path));
  if (unwritable !== undefined) findings.push(folderReadOnly(unwritable, dataFolder));
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
  findings.push(...examineNetwork(dataFolder, fileSystem, hasDatabase));
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

function isWritable(path: string): boolean {
  return obstacleToWriting(path) === null;
}

const isOfReadOnlyDisk = (path: string): boolean => obstacleToWriting(path) === 'EROFS';

/** Returns the code of the reason why this user cannot write to a path, or null. */
function obstacleToWriting(path: string): string | null {
  try {
    const needed = statSync(path).isDirectory() ? constants.W_OK | constants.X_OK : constants.W_OK;
    accessSync(path, needed);
    return null;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? 'unknown';
  }
}

function secretsIn(dataFolder: string): string[] {
  const folder = join(dataFolder, 'secrets');
  return existsSync(folder) ? readdirSync(folder).map((name) => join('secrets', name)) : [];
}

const isOpenToOthers = (file: string): boolean => (statSync(file).mode & 0o077) !== 0;
const sizeOf = (file: string): number => (existsSync(file) ? statSync(file).size : 0);
