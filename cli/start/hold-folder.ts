import { readFileSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { loadSqliteDriver } from '#db/engine/sqlite-driver.ts';
import type { Finding } from '../doctor/finding.ts';

/** Describes the instance that holds a folder, for the operator. */
const holderFile = (folder: string): string => join(folder, 'running.txt');

/** Locks that this process holds until it ends. */
const held: { close(): void }[] = [];

/**
 * Holds the data folder for this process until it ends, however it does: the lock is the system's on a file in it. Returns
 * the finding if another process holds it. Where the disk has no locks, nothing is held.
 */
export async function holdFolder(folder: string): Promise<Finding | null> {
  const BetterSqlite = await loadSqliteDriver();
  let lock: InstanceType<typeof BetterSqlite> | null = null;
  try {
    lock = new BetterSqlite(join(folder, 'instance.lock'), { timeout: 0 });
    lock.pragma('locking_mode = EXCLUSIVE');
    lock.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    lock?.close();
    return String((error as { code?: unknown }).code).startsWith('SQLITE_BUSY') ? inUse(folder) : null;
  }
  held.push(lock);
  writeFileSync(
    holderFile(folder),
    `process ${process.pid} on ${hostname()}, since ${new Date().toISOString()}\n`,
    { mode: 0o600 },
  );
  return null;
}

function inUse(folder: string): Finding {
  let holder = 'unknown';
  try {
    holder = readFileSync(holderFile(folder), 'utf8').trim();
  } catch {
    // The other one has just begun.
  }
  return {
    name: 'instanceRunning',
    what: `Another Keepsake runs on ${folder} (${holder}).`,
    why: 'Two on one folder would be two instances with the same database and the same Steam accounts.',
    remedy: 'Stop the other one first, or set KEEPSAKE_DATA_DIR to a folder of its own.',
  };
}
