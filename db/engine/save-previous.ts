// The copy of an SQLite file that a migration leaves beside it.
import {
  chmodSync,
  closeSync,
  fsyncSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { errorCode } from '#db/error-code.ts';
import { isAlive } from './is-alive.ts';
import { loadSqliteDriver } from './sqlite-driver.ts';

/** SQLite gives the mode of the file to its log. What belongs to another user stays; `keepsake doctor` names it. */
export function closeToOthers(file: string): void {
  if ((statSync(file).mode & 0o077) === 0) return;
  try {
    chmodSync(file, 0o600);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') throw error;
  }
}

/** Removes the copies that migrations left that were killed. */
export function removeUnfinishedCopies(file: string): void {
  const beginning = `${basename(file)}.previous.`;
  for (const name of readdirSync(dirname(file))) {
    const pid = name.startsWith(beginning) ? name.slice(beginning.length) : '';
    if (/^\d+$/.test(pid) && !isAlive(Number(pid))) rmSync(join(dirname(file), name), { force: true });
  }
}

/**
 * Copies a file as of its last commit to `….previous`, for a caller that keeps others from writing meanwhile.
 * SQLite cannot make such a copy within a transaction, so it uses a connection of its own. The copy gets its
 * name only once it is complete and on disk; after a failure nothing of it is left.
 */
export async function savePrevious(file: string): Promise<void> {
  const BetterSqlite = await loadSqliteDriver();
  const to = `${file}.previous`;
  const partial = `${to}.${process.pid}`;
  rmSync(partial, { force: true });
  closeSync(openSync(partial, 'wx', 0o600));
  const reading = new BetterSqlite(file, { readonly: true, timeout: 30_000 });
  try {
    reading.prepare('VACUUM INTO ?').run(partial);
    flushToDisk(partial);
    renameSync(partial, to);
    flushToDisk(dirname(to));
  } catch (error) {
    rmSync(partial, { force: true });
    throw isFull(error)
      ? new Error(
          `there is no room on the disk for ${to}, a copy of it. Free as much as the database takes, and start again`,
          { cause: error },
        )
      : error;
  } finally {
    reading.close();
  }
}

const isFull = (error: unknown): boolean => ['SQLITE_FULL', 'ENOSPC', 'EDQUOT'].includes(errorCode(error));

/** Returns once a file, or the names in a folder, are on disk and survive a loss of power. */
function flushToDisk(path: string): void {
  const opened = openSync(path, 'r');
  try {
    fsyncSync(opened);
  } finally {
    closeSync(opened);
  }
}
