import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The stores of one run go below one folder, in memory where the machine offers that, and with the run they go. */
export default function makeRunFolder(): (() => void) | undefined {
  // Each project of the run comes here, and the first one makes it.
  if (process.env.TEST_STORES) return undefined;
  const folder = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'keepsake-run-'));
  process.env.TEST_STORES = folder;
  return () => rmSync(folder, { recursive: true, force: true });
}
