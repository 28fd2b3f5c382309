import { existsSync, mkdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import type { Seals } from '#db/engine/sealed-text.ts';
import { keysHere, proveKeyToBe, proveOwnKey } from './backup-key.ts';
import { STORE_FILE } from './manifest.ts';
import { faultOfStore, isStoreUnder } from './store-facts.ts';
import { lockStore } from './store-lock.ts';
import {
  moveSecrets,
  type Refused,
  type Restored,
  refuseFor,
  refuseForeignLinks,
  removeIfEmpty,
  restoredAs,
  unpackBackup,
} from './unpack-backup.ts';
import { inWorkFolder } from './work-folder.ts';

/**
 * Unpacks a backup of an SQLite instance into an empty folder and proves it: every checksum, the database's
 * pages and references, its counts and its ledger, except for the items that differed from it already when
 * the backup was made, and a key for its sealed values.
 */
async function unpackAndProve(
  backup: string,
  into: string,
  passphrase: string | null,
  proveKey: (opens: (seals: Seals) => Promise<boolean>) => Promise<Refused | null>,
): Promise<Restored> {
  const unpacked = await unpackBackup(backup, into, { passphrase, file: STORE_FILE });
  if (!unpacked.ok) return unpacked;
  const store = join(into, STORE_FILE);
  const fault = await faultOfStore(store, unpacked.manifest);
  if (fault) return refuseFor('storeFaulty', fault);
  return (await proveKey((seals) => isStoreUnder(seals, store))) ?? restoredAs(unpacked.manifest);
}

export interface RestoreRequest {
  dataFolder: string;
  passphrase: string | null;
  nowMs: number;
  /** True if the operator says that no process has the database open; used only if SQLite cannot tell. */
  isStopped: boolean;
  /** The ENCRYPTION_KEY that is set here. */
  configuredKey: string | null;
}

/**
 * Puts a backup in the place of an instance's database and secrets, once it is unpacked and proven beside them. What
 * was there moves to a folder of its own. Refused while any process has the database open, before it is unpacked and
 * after; then nothing can open it until all is in place.
 */
export async function restoreBackup(
  backup: string,
  { dataFolder, passphrase, nowMs, isStopped, configuredKey }: RestoreRequest,
): Promise<Restored & { replaced?: string | null }> {
  const linked = refuseForeignLinks(dataFolder);
  if (linked) return linked;
  mkdirSync(dataFolder, { recursive: true, mode: 0o700 });
  const before = await lockUnlessInUse(dataFolder, isStopped);
  if (!before.ok) return before;
  before.release();
  return inWorkFolder(dataFolder, async (staging) => {
    const keys = keysHere(dataFolder, configuredKey);
    const proven = await unpackAndProve(backup, staging, passphrase, (opens) =>
      proveKeyToBe(staging, opens, keys),
    );
    if (!proven.ok) return proven;
    const lock = await lockUnlessInUse(dataFolder, isStopped);
    if (!lock.ok) return lock;
    const replaced = join(dataFolder, `replaced-${nowMs}`);
    try {
      putInPlace(staging, dataFolder, replaced);
    } finally {
      lock.release();
    }
    return { ...proven, replaced: removeIfEmpty(replaced) };
  });
}

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

/** The database comes last: whenever this is interrupted there is one, and repeating the restore completes it. */
function putInPlace(staging: string, dataFolder: string, replaced: string): void {
  mkdirSync(replaced, { recursive: true, mode: 0o700 });
  // SQLite would play the logs of the old database into the new one.
  for (const left of ['-wal', '-shm', '-journal'].map((ending) => `${STORE_FILE}${ending}`))
    if (existsSync(join(dataFolder, left))) renameSync(join(dataFolder, left), join(replaced, left));
  moveSecrets(staging, dataFolder, replaced, [STORE_FILE]);
}

/** Proves a backup by unpacking it into a folder in the data folder, which is deleted afterwards. */
export async function drillBackup(
  backup: string,
  { dataFolder, passphrase }: { dataFolder: string; passphrase: string | null },
): Promise<Restored> {
  return inWorkFolder(dataFolder, (folder) =>
    unpackAndProve(backup, folder, passphrase, (opens) => proveOwnKey(folder, opens)),
  );
}
