import {
  chmodSync,
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmdirSync,
  statSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import type { Drift } from '#domain/custody/audit-ledger.ts';
import { done, type Outcome, refuse } from '#domain/kernel/outcome.ts';
import { foreignLinkOn, giveToOwnerOf } from '#platform/folder-owner.ts';
import { flushToDisk } from './flush-to-disk.ts';
import { lackOfSpace } from './free-space.ts';
import { DUMP_FILE, MANIFEST_FILE, type Manifest, readManifest, STORE_FILE } from './manifest.ts';
import { digestOf, keyFrom, openFile } from './sealed-file.ts';
import { BOTS_FILE, SETTINGS_FILE } from './settings-file.ts';
import { knownMigrations, type StoreCounts } from './store-facts.ts';

export type RestoreRefusal =
  | 'notABackup'
  | 'altered'
  | 'otherDatabase'
  | 'passphraseNeeded'
  | 'passphraseWrong'
  | 'notEncrypted'
  | 'newerSchema'
  | 'noSpace'
  | 'storeFaulty'
  | 'keyMissing'
  | 'keyWrong'
  | 'linked'
  | 'running'
  | 'unclear';
export type Restored = Outcome<
  { counts: StoreCounts; madeAtMs: number; drifts: readonly Drift[] },
  RestoreRefusal
> & { why?: string };
export type Refused = Extract<Restored, { ok: false }>;
export type Unpacked = Refused | { ok: true; manifest: Manifest };

export const refuseFor = (code: RestoreRefusal, why: string) => ({ ...refuse(code), why });
export const restoredAs = ({ counts, madeAtMs, drifts }: Manifest) => done({ counts, madeAtMs, drifts });

/** Refuses to restore, as root, into a data folder in which another user leads root elsewhere. */
export function refuseForeignLinks(dataFolder: string): Refused | null {
  for (const path of ['secrets', STORE_FILE]) {
    const link = foreignLinkOn(join(dataFolder, path));
    if (link) return refuseFor('linked', link);
  }
  return null;
}

/** Files that are in a backup only for reading, because their place is outside the data folder. */
const OUTSIDE = [SETTINGS_FILE, BOTS_FILE];

/**
 * The valid names of files in a backup. Anybody who can write to its folder must not reach other files on
 * this machine.
 */
const fileName = /^(?:secrets\/)?(?!\.{1,2}$)[^/\\]+$/;

/**
 * Unpacks a backup into an empty folder and proves every checksum. Refuses one of a newer schema than this build knows, and
 * one whose database is not in `file`, because it is of the other kind.
 */
export async function unpackBackup(
  backup: string,
  into: string,
  { passphrase, file }: { passphrase: string | null; file: string },
): Promise<Unpacked> {
  const manifest = readManifest(backup);
  if (!manifest) return refuseFor('notABackup', `${backup} has no readable ${MANIFEST_FILE}`);
  const strange = manifest.files.find(({ name }) => !fileName.test(name));
  if (strange) return refuseFor('notABackup', `its manifest names ${strange.name}, which no backup has`);
  if (!manifest.files.some(({ name }) => name === file))
    return refuseFor(
      'otherDatabase',
      file === DUMP_FILE
        ? 'it is of SQLite, but DATABASE_URL names PostgreSQL'
        : 'it is of PostgreSQL: set DATABASE_URL',
    );
  for (const { name, sha256 } of manifest.files)
    if (!existsSync(join(backup, name)) || (await digestOf(join(backup, name))) !== sha256)
      return refuseFor('altered', `${name} is missing or not as it was written`);
  const known = knownMigrations();
  if (manifest.migrations > known)
    return refuseFor(
      'newerSchema',
      `it has ${manifest.migrations} migrations, and this build knows ${known}`,
    );
  if (manifest.salt !== null && passphrase === null)
    return refuseFor('passphraseNeeded', 'it is encrypted: set BACKUP_PASSPHRASE');
  if (manifest.salt === null && passphrase !== null)
    return refuseFor(
      'notEncrypted',
      'it is not encrypted, so anybody may have made it, and BACKUP_PASSPHRASE is set: unset that if you know where it comes from',
    );
  const bytes = manifest.files.reduce((sum, { name }) => sum + statSync(join(backup, name)).size, 0);
  const lack = lackOfSpace([{ folder: into, bytes }]);
  if (lack) return refuseFor('noSpace', lack);
  const key = manifest.salt !== null && passphrase !== null ? keyFrom(passphrase, manifest.salt) : null;
  for (const { name } of manifest.files) {
    mkdirSync(dirname(join(into, name)), { recursive: true, mode: 0o700 });
    if (!key) copyFileSync(join(backup, name), join(into, name));
    else if (!(await isOpened(join(backup, name), join(into, name), key, name)))
      return refuseFor('passphraseWrong', 'the passphrase does not open it');
    chmodSync(join(into, name), 0o600);
  }
  return { ok: true, manifest };
}

const isOpened = (from: string, to: string, key: Buffer, name: string): Promise<boolean> =>
  openFile(from, to, key, name).then(
    () => true,
    () => false,
  );

/** The codes of file systems and of systems that have no second names for a file. */
const WITHOUT_LINKS = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK']);

/**
 * Gives a file a second name, so that it can be replaced in one step. On a file system without second names
 * it is moved, because copying would open it, which ends the lock on a database.
 */
function putAside(file: string, aside: string): void {
  try {
    linkSync(file, aside);
  } catch (error) {
    if (!WITHOUT_LINKS.has((error as NodeJS.ErrnoException).code ?? '')) throw error;
    renameSync(file, aside);
  }
}

/**
 * Moves secrets, then `last`, from where a backup was unpacked into the data folder. Each file replaces its old one in one
 * step, after the old one has a second name: whenever this is interrupted, repeating the restore completes it.
 */
export function moveSecrets(
  staging: string,
  dataFolder: string,
  replaced: string,
  last: readonly string[] = [],
): void {
  mkdirSync(join(replaced, 'secrets'), { recursive: true, mode: 0o700 });
  mkdirSync(join(dataFolder, 'secrets'), { recursive: true, mode: 0o700 });
  const secrets = join(staging, 'secrets');
  const names = existsSync(secrets) ? readdirSync(secrets).map((name) => join('secrets', name)) : [];
  const outside = OUTSIDE.filter((name) => existsSync(join(staging, name)));
  // The files are named one by one, because the owner of their folder could put links in their place.
  const unpacked = [...names, ...last, ...outside].map((name) => join(staging, name));
  giveToOwnerOf(dataFolder, ...unpacked, replaced, join(dataFolder, 'secrets'));
  for (const name of [...names, ...last]) {
    if (existsSync(join(dataFolder, name))) putAside(join(dataFolder, name), join(replaced, name));
    flushToDisk(join(staging, name));
    renameSync(join(staging, name), join(dataFolder, name));
  }
  for (const folder of [join(dataFolder, 'secrets'), replaced, dataFolder]) flushToDisk(folder);
  for (const name of outside) renameSync(join(staging, name), join(dataFolder, `restored-${name}`));
}

/** Removes the folder for replaced files if it is empty. Returns it, or null if it was removed. */
export function removeIfEmpty(replaced: string): string | null {
  const isEmpty = (folder: string) => readdirSync(folder).length === 0;
  for (const folder of [join(replaced, 'secrets'), replaced]) if (isEmpty(folder)) rmdirSync(folder);
  return existsSync(replaced) ? replaced : null;
}
