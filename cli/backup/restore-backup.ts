import { chmodSync, copyFileSync, existsSync, linkSync, mkdirSync, readdirSync, renameSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Drift } from '#domain/custody/audit-ledger.ts';
import { done, type Outcome, refuse } from '#domain/outcome.ts';
import { flushToDisk } from './flush-to-disk.ts';
import { MANIFEST_FILE, readManifest, STORE_FILE } from './manifest.ts';
import { digestOf, keyFrom, openFile } from './sealed-file.ts';
import { faultOfStore, knownMigrations, type StoreCounts } from './store-facts.ts';
import { lockStore } from './store-lock.ts';
import { inWorkFolder } from './work-folder.ts';

export type RestoreRefusal =
  | 'notABackup'
  | 'altered'
  | 'passphraseNeeded'
  | 'passphraseWrong'
  | 'newerSchema'
  | 'storeFaulty'
  | 'running'
  | 'unclear';
export type Restored = Outcome<
  { counts: StoreCounts; madeAtMs: number; drifts: readonly Drift[] },
  RestoreRefusal
> & { why?: string };

/** What is in a backup for reading, because its place is outside the data folder. */
const OUTSIDE = ['settings.env', 'steam-bots.json'];

const refuseFor = (code: RestoreRefusal, why: string) => ({ ...refuse(code), why });

/**
 * Unpacks a backup into an empty folder and proves it: every checksum, the database's pages and references, its counts
 * and its ledger, except for the items that differed from it already when the backup was made. Refuses a backup of a
 * newer schema than this build knows.
 */
export async function unpackBackup(
  backup: string,
  into: string,
  passphrase: string | null,
): Promise<Restored> {
  const manifest = readManifest(backup);
  if (!manifest) return refuseFor('notABackup', `${backup} has no readable ${MANIFEST_FILE}`);
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
  const key = manifest.salt !== null && passphrase !== null ? keyFrom(passphrase, manifest.salt) : null;
  for (const { name } of manifest.files) {
    mkdirSync(dirname(join(into, name)), { recursive: true, mode: 0o700 });
    if (!key) copyFileSync(join(backup, name), join(into, name));
    else if (!(await isOpened(join(backup, name), join(into, name), key, name)))
      return refuseFor('passphraseWrong', 'the passphrase does not open it');
    chmodSync(join(into, name), 0o600);
  }
  const fault = await faultOfStore(join(into, STORE_FILE), manifest);
  if (fault) return refuseFor('storeFaulty', fault);
  const { counts, madeAtMs, drifts } = manifest;
  return done({ counts, madeAtMs, drifts });
}

const isOpened = (from: string, to: string, key: Buffer, name: string): Promise<boolean> =>
  openFile(from, to, key, name).then(
    () => true,
    () => false,
  );

export interface RestoreRequest {
  dataFolder: string;
  passphrase: string | null;
  nowMs: number;
  /** Whether the operator says that no process has the database open; asked only if SQLite cannot tell. */
  isStopped: boolean;
}

/**
 * Puts a backup in the place of an instance's database and secrets, once it is unpacked and proven beside them. What
 * was there moves to a folder of its own. Refused while any process has the database open, before it is unpacked and
 * after; then nothing can open it until all is in place.
 */
export async function restoreBackup(
  backup: string,
  { dataFolder, passphrase, nowMs, isStopped }: RestoreRequest,
): Promise<Restored & { replaced?: string }> {
  mkdirSync(dataFolder, { recursive: true, mode: 0o700 });
  const before = await lockUnlessInUse(dataFolder, isStopped);
  if (!before.ok) return before;
  before.release();
  return inWorkFolder(dataFolder, async (staging) => {
    const unpacked = await unpackBackup(backup, staging, passphrase);
    if (!unpacked.ok) return unpacked;
    const lock = await lockUnlessInUse(dataFolder, isStopped);
    if (!lock.ok) return lock;
    const replaced = join(dataFolder, `replaced-${nowMs}`);
    try {
      putInPlace(staging, dataFolder, replaced);
    } finally {
      lock.release();
    }
    return { ...unpacked, replaced };
  });
}

type Refused = Extract<Restored, { ok: false }>;

async function lockUnlessInUse(
  dataFolder: string,
  isStopped: boolean,
): Promise<Refused | { ok: true; release: () => void }> {
  const lock = await lockStore(join(dataFolder, STORE_FILE));
  if (lock.state === 'locked') return { ok: true, release: lock.release };
  if (lock.state === 'inUse')
    return refuseFor('running', 'a process has the database open: stop Keepsake first');
  if (isStopped) return { ok: true, release: () => {} };
  return refuseFor(
    'unclear',
    `whether a process has the database open cannot be told (${lock.why}): stop Keepsake, then repeat with --stopped`,
  );
}

/**
 * Each file replaces its old one in one step, after the old one has a second name: whenever this is interrupted there
 * is a database, and repeating the restore completes it. The database comes last.
 */
function putInPlace(staging: string, dataFolder: string, replaced: string): void {
  mkdirSync(join(replaced, 'secrets'), { recursive: true, mode: 0o700 });
  mkdirSync(join(dataFolder, 'secrets'), { recursive: true, mode: 0o700 });
  for (const left of [`${STORE_FILE}-wal`, `${STORE_FILE}-shm`])
    if (existsSync(join(dataFolder, left))) renameSync(join(dataFolder, left), join(replaced, left));
  const secrets = join(staging, 'secrets');
  const names = existsSync(secrets) ? readdirSync(secrets).map((name) => join('secrets', name)) : [];
  for (const name of [...names, STORE_FILE]) {
    if (existsSync(join(dataFolder, name))) linkSync(join(dataFolder, name), join(replaced, name));
    flushToDisk(join(staging, name));
    renameSync(join(staging, name), join(dataFolder, name));
  }
  for (const folder of [join(dataFolder, 'secrets'), replaced, dataFolder]) flushToDisk(folder);
  for (const name of OUTSIDE)
    if (existsSync(join(staging, name)))
      renameSync(join(staging, name), join(dataFolder, `restored-${name}`));
}

/** Proves a backup by unpacking it into a folder in the data folder, which is deleted afterwards. */
export async function drillBackup(
  backup: string,
  { dataFolder, passphrase }: { dataFolder: string; passphrase: string | null },
): Promise<Restored> {
  return inWorkFolder(dataFolder, (folder) => unpackBackup(backup, folder, passphrase));
}
