import type BetterSqlite from 'better-sqlite3';

export type SqliteDriver = typeof BetterSqlite;

/**
 * Loads the SQLite driver for this Node: better-sqlite3 13 from Node 22, 12 on Node 20. Version 12 aborts on Node 24,
 * and 13 cannot be loaded by Node 20; see docs/decisions/011-two-sqlite-drivers.md.
 */
export async function loadSqliteDriver(): Promise<SqliteDriver> {
  const isNode20 = Number.parseInt(process.versions.node, 10) < 22;
  if (!isNode20) return (await import('better-sqlite3')).default;
  try {
    return ((await import('better-sqlite3-node20')) as { default: SqliteDriver }).default;
  } catch (error) {
    throw new Error(
      'SQLite on Node 20 needs a driver that was not installed: install python3, make and g++ and run `npm ci` again, or use Node 24.',
      { cause: error },
    );
  }
}
