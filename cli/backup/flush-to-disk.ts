import { closeSync, fsyncSync, openSync } from 'node:fs';

/** Returns once a file, or the names in a folder, are on disk and survive a loss of power. */
export function flushToDisk(path: string): void {
  const opened = openSync(path, 'r');
  try {
    fsyncSync(opened);
  } finally {
    closeSync(opened);
  }
}
