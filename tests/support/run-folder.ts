import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * What the tests of one run write goes with the run: the stores, in memory where the machine offers that, and whatever
 * else they put into the folder for temporary files.
 */
export default function makeRunFolder(): (() => void) | undefined {
  // Each project of the run comes here, and the first one makes it.
  if (process.env.TEST_STORES) return undefined;
  // What takes long to make and never changes stays for the next run.
  process.env.AGED_STORES ??= join(tmpdir(), 'keepsake-aged');
  const files = mkdtempSync(join(tmpdir(), 'keepsake-run-'));
  const stores = existsSync('/dev/shm') ? mkdtempSync('/dev/shm/keepsake-run-') : files;
  process.env.TEST_STORES = stores;
  process.env.TMPDIR = files;
  return () => {
    for (const folder of [stores, files]) rmSync(folder, { recursive: true, force: true });
  };
}
