import { createHmac } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { Drift } from '#domain/custody/audit-ledger.ts';
import { isAhead } from '#platform/backup-status.ts';
import type { StoreCounts } from './store-facts.ts';

export interface Manifest {
  format: 1;
  /** The tag of the instance that it is of. */
  instance: string;
  madeAtMs: number;
  /** Number of migrations that the database has had. */
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

/** Returns the name of a backup made at a time. */
export const backupNameOf = (madeAtMs: number): string =>
  `keepsake-${new Date(madeAtMs).toISOString().replaceAll(':', '-').replace('.', '-')}`;

/**
 * Distinguishes an instance's backups from those of others; it stays when the instance is restored elsewhere.
 */
export const instanceTagOf = (encryptionKey: string): string =>
  createHmac('sha256', encryptionKey).update('backups').digest('hex').slice(0, 16);

/** Returns the name of a backup that is not complete. */
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

/** Returns whether the files of a backup are encrypted. */
export const isEncrypted = (backup: string): boolean => (readManifest(backup)?.salt ?? null) !== null;

/**
 * An instance's complete backups in a folder, oldest first; only those with the file `kind`, if it is given. Those from a time
 * ahead of the clock come before all others: it was wrong when they were made, and they must not pass for the newest.
 */
export function listBackups(
  backupsFolder: string,
  instance: string,
  { nowMs, kind }: { nowMs: number; kind?: string },
): string[] {
  if (!existsSync(backupsFolder)) return [];
  const found: { folder: string; age: number }[] = [];
  for (const name of readdirSync(backupsFolder)
    .filter((each) => backupName.test(each))
    .sort()) {
    const folder = join(backupsFolder, name);
    const manifest = readManifest(folder);
    if (manifest?.instance !== instance) continue;
    if (kind && !manifest.files.some((file) => file.name === kind)) continue;
    found.push({ folder, age: isAhead(manifest.madeAtMs, nowMs) ? 1 : 0 });
  }
  return found.sort((a, b) => b.age - a.age).map(({ folder }) => folder);
}

/**
 * Returns whether a folder is a backup of this instance: by its manifest or, if that is unreadable, by being
 * among its backups.
 */
export function isBackupOf(instance: string, backup: string, backupsFolder: string): boolean {
  const made = readManifest(backup)?.instance;
  return made ? made === instance : dirname(resolve(backup)) === resolve(backupsFolder);
}

/** An incomplete backup without writes for this long is abandoned. */
const ABANDONED_MS = 3_600_000;

/**
 * Deletes all but an instance's newest backups, and the remains of its interrupted ones, but nothing that
 * another process is writing. Returns the deleted backups, and a line for each folder that cannot be deleted.
 */
export function pruneBackups(
  backupsFolder: string,
  amount: number,
  { instance, nowMs }: { instance: string; nowMs: number },
): { deleted: string[]; failures: string[] } {
  const deleted: string[] = [];
  const failures: string[] = [];
  const attempt = (folder: string, deleteIt: () => void) => {
    try {
      deleteIt();
    } catch (error) {
      failures.push(`${folder} cannot be deleted: ${(error as Error).message}`);
    }
  };
  const remove = (folder: string) => rmSync(folder, { recursive: true, force: true });
  const ending = partialOf('', instance);
  for (const name of readdirSync(backupsFolder)) {
    const folder = join(backupsFolder, name);
    if (!name.endsWith(ending) || !backupName.test(name.slice(0, -ending.length))) continue;
    attempt(folder, () => isAbandoned(folder, nowMs) && remove(folder));
  }
  for (const folder of listBackups(backupsFolder, instance, { nowMs }).slice(0, -amount))
    attempt(folder, () => {
      // If deleting ends half-way, no half of a backup is left under the name of one.
      renameSync(folder, partialOf(folder, instance));
      deleted.push(folder);
      remove(partialOf(folder, instance));
    });
  return { deleted, failures };
}

function isAbandoned(folder: string, nowMs: number): boolean {
  const names = ['', ...readdirSync(folder, { recursive: true, encoding: 'utf8' })];
  return names.every((name) => nowMs - statSync(join(folder, name)).mtimeMs > ABANDONED_MS);
}
