import { existsSync } from 'node:fs';
import { loadSqliteDriver, type SqliteDriver } from '#db/engine/sqlite-driver.ts';

export type StoreLock =
  /** `connection` reads the file while nobody else can; null if there is no file. */
  | { state: 'locked'; connection: InstanceType<SqliteDriver> | null; release: () => void }
  | { state: 'inUse' }
  | { state: 'unknown'; why: string };

/**
 * Locks an SQLite file so that no process can read or write it until the lock is released, and moves all of its log
 * into it. Fails if a process has it open. The lock would also end if this process opened and closed the file by other
 * means, so meanwhile it may only be renamed or linked.
 */
export async function lockStore(file: string): Promise<StoreLock> {
  if (!existsSync(file)) return { state: 'locked', connection: null, release: () => {} };
  const BetterSqlite = await loadSqliteDriver();
  let connection: InstanceType<typeof BetterSqlite> | null = null;
  try {
    connection = new BetterSqlite(file, { timeout: 0 });
    connection.pragma('locking_mode = EXCLUSIVE');
    // SQLite leaves WAL mode only for the last connection.
    const mode = connection.pragma('journal_mode = DELETE', { simple: true });
    if (mode === 'delete') {
      connection.exec('BEGIN EXCLUSIVE');
      const locked = connection;
      return { state: 'locked', connection: locked, release: () => locked.close() };
    }
    connection.close();
    return { state: 'inUse' };
  } catch (error) {
    connection?.close();
    const { code, message } = error as Error & { code?: unknown };
    if (String(code).startsWith('SQLITE_BUSY')) return { state: 'inUse' };
    return { state: 'unknown', why: message };
  }
}
