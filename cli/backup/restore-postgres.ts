import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { keysHere, proveKeyToBe, proveOwnKey } from './backup-key.ts';
import { DUMP_FILE } from './manifest.ts';
import { countConnected, type RestoredCopy, withRestoredCopy } from './postgres-store.ts';
import {
  moveSecrets,
  type Refused,
  type Restored,
  refuseFor,
  refuseForeignLinks,
  removeIfEmpty,
  restoredAs,
  type Unpacked,
  unpackBackup,
} from './unpack-backup.ts';
import { inWorkFolder } from './work-folder.ts';

interface PostgresRequest {
  dataFolder: string;
  databaseUrl: string;
  passphrase: string | null;
}

/** Unpacks a backup, restores it into a database of its own, and does the rest with a copy that was proven. */
async function withProven<R extends Restored>(
  backup: string,
  { dataFolder, databaseUrl, passphrase }: PostgresRequest,
  proveKey: (folder: string, opens: RestoredCopy['isUnder']) => Promise<Refused | null>,
  work: (copy: RestoredCopy, unpacked: Extract<Unpacked, { ok: true }>, folder: string) => Promise<R>,
): Promise<R | Restored> {
  mkdirSync(dataFolder, { recursive: true, mode: 0o700 });
  return inWorkFolder(dataFolder, async (folder) => {
    const unpacked = await unpackBackup(backup, folder, { passphrase, file: DUMP_FILE });
    if (!unpacked.ok) return unpacked;
    try {
      return await withRestoredCopy(databaseUrl, join(folder, DUMP_FILE), unpacked.manifest, async (copy) => {
        if (copy.fault) return refuseFor('storeFaulty', copy.fault);
        return (await proveKey(folder, copy.isUnder)) ?? work(copy, unpacked, folder);
      });
    } catch (error) {
      return refuseFor('unclear', (error as Error).message);
    }
  });
}

/** Proves a backup of a PostgreSQL instance in a database of its own, which is dropped afterwards. */
export const drillPostgres = (backup: string, request: PostgresRequest): Promise<Restored> =>
  withProven(backup, request, proveOwnKey, async (_copy, { manifest }) => restoredAs(manifest));

/**
 * Puts a backup in the place of a PostgreSQL instance's database and secrets, once it is proven. What was there gets
 * another name. Refused while anybody is connected to the database, before it is unpacked and after.
 */
export async function restorePostgres(
  backup: string,
  request: PostgresRequest & { nowMs: number; configuredKey: string | null },
): Promise<Restored & { replaced?: string | null }> {
  const { databaseUrl, dataFolder, nowMs } = request;
  const linked = refuseForeignLinks(dataFolder);
  if (linked) return linked;
  const inUse = refuseFor(
    'running',
    'a process is connected to the database: stop Keepsake first, and pgbouncer if there is one',
  );
  if ((await countConnected(databaseUrl)) > 0) return inUse;
  const keys = keysHere(dataFolder, request.configuredKey);
  const proveKey: typeof proveOwnKey = (folder, opens) => proveKeyToBe(folder, opens, keys);
  return withProven(backup, request, proveKey, async (copy, { manifest }, folder) => {
    const replaced = join(dataFolder, `replaced-${nowMs}`);
    // The database comes last: whenever this is interrupted there is one, and repeating the restore completes it.
    const placed = await copy.putInPlace(nowMs, () => moveSecrets(folder, dataFolder, replaced));
    if (!placed) return inUse;
    const places = [placed.replaced && `the database ${placed.replaced}`, removeIfEmpty(replaced)];
    return { ...restoredAs(manifest), replaced: places.filter(Boolean).join(' and in ') || null };
  });
}
