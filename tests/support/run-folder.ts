import { chmodSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serverUrl } from './postgres-server.ts';
import { dropStoresOfRun } from './server-database.ts';

/**
 * Everything that a run's tests write is deleted with its folder: databases, in memory if possible, and temporary
 * files.
 */
export default function makeRunFolder(): (() => Promise<void>) | undefined {
  // Each project of the run calls this, and the first one creates the folder.
  if (process.env.TEST_STORES) return undefined;
  // Anything slow to create that never changes is kept for the next run.
  process.env.AGED_STORES ??= join(tmpdir(), 'keepsake-aged');
  const files = mkdtempSync(join(tmpdir(), 'keepsake-run-'));
  // A database server runs as a user of its own, and its folder is in here.
  chmodSync(files, 0o711);
  const stores = existsSync('/dev/shm') ? mkdtempSync('/dev/shm/keepsake-run-') : files;
  process.env.TEST_STORES = stores;
  process.env.TMPDIR = files;
  return async () => {
    if (serverUrl) await dropStoresOfRun();
    for (const folder of [stores, files]) rmSync(folder, { recursive: true, force: true });
  };
}
