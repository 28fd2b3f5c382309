import { createHmac } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { Drift } from '#domain/custody/audit-ledger.ts';
import type { StoreCounts } from './store-facts.ts';

export interface Manifest {
  format: 1;
  /** The tag of the instance that it is of. */
  instance: string;
  madeAtMs: number;
  /** How many migrations the database has had. */
  migrations: number;
  counts: StoreCounts;
  /** Items that differed from the ledger already then. */
  drifts: Drift[];
  /** The salt of the passphrase's key; null if the files are not encrypted. */
  salt: string | null;
  /** Each file with its checksum as stored. */
  files: { name: string; sha256: string }[];
}

export const MANIFEST_FILE = 'manifest.json';
/** The database of a backup: an SQLite file, or a dump of PostgreSQL. */
export const STORE_FILE = 'keepsake.db';
export const DUMP_FILE = 'keepsake.dump';

const backupName = /^keepsake-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-\d{3}Z$/;

/** What a backup made at a time is called. */
export const backupNameOf = (madeAtMs: number): string =>
  `keepsake-${new Date(madeAtMs).toISOString().replaceAll(':', '-').replace('.', '-')}`;

/** What tells an instance's backups from those of others; it stays when the instance is restored elsewhere. */
export const instanceTagOf = (encryptionKey: string): string =>
  createHmac('sha256', encryptionKey).update('backups').digest('hex').slice(0, 16);

/** What an instance calls a backup that is not complete. */
export const partialOf = (folder: string, instance: string): string => `${folder}.${instance}.partial`;

/** The manifest of a backup; null if it has none that can be read. Those of older builds lack some facts. */
export function readManifest(backup: string): Manifest | null {
  try {
    const manifest = JSON.parse(readFileSync(join(backup, MANIFEST_FILE), 'utf8')) as Manifest;
    const isComplete =
      manifest.format === 1 && manifest.files.some(({ name }) => name === STORE_FILE || name === DUMP_FILE);
    return isComplete
      ? { ...manifest, instance: manifest.instance ?? '', drifts: manifest.drifts ?? [] }
      : null;
  } catch {
    return null;
  }
}

/** An instance's complete backups in a folder, oldest first; only those with the file `kind`, if it is given. */
export function listBackups(backupsFolder: string, instance: string, kind?: string): string[] {
  if (!existsSync(backupsFolder)) return [];
  return readdirSync(backupsFolder)
    .filter((name) => backupName.test(name))
    .sort()
    .map((name) => join(backupsFolder, name))
    .filter((folder) => {
      const manifest = readManifest(folder);
      return manifest?.instance === instance && (!kind || manifest.files.some(({ name }) => name === kind));
    });
}

/** Whether a folder is a backup of this instance: by its manifest, or, if that tells nothing, by being among its backups. */
export function isBackupOf(instance: string, backup: string, backupsFolder: string): boolean {
  const made = readManifest(backup)?.instance;
  return made ? made === instance : dirname(resolve(backup)) === resolve(backupsFolder);
}

/** Deletes all but an instance's newest backups, and what its interrupted ones left. Returns the deleted backups. */
export function pruneBackups(backupsFolder: string, amount: number, instance: string): string[] {
  const old = listBackups(backupsFolder, instance).slice(0, -amount);
  const ending = partialOf('', instance);
  const partial = readdirSync(backupsFolder)
    .filter((name) => name.endsWith(ending) && backupName.test(name.slice(0, -ending.length)))
    .map((name) => join(backupsFolder, name));
  for (const folder of [...old, ...partial]) rmSync(folder, { recursive: true, force: true });
  return old;
}
