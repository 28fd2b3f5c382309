import type { Database, Reader, Tx } from '#db/database.ts';
import { loadSqliteDriver } from '#db/engine/sqlite-driver.ts';

/** A database without separation of processes: the statements of a transaction mix with everyone else's. */
export async function openWithoutLocks(store: {
  databaseUrl?: string | undefined;
  file: string;
}): Promise<Database> {
  const { query, close } = store.databaseUrl ? await postgres(store.databaseUrl) : await sqlite(store.file);
  const revision = async () => String(Math.random());
  const run = async (decide: (tx: never) => unknown) => decide(query as never) as never;
  return { read: query, transaction: run, heartbeat: run, revision, close };
}

async function sqlite(file: string) {
  const BetterSqlite = await loadSqliteDriver();
  const { drizzle } = await import('drizzle-orm/better-sqlite3');
  const connection = new BetterSqlite(file, { timeout: 10_000 });
  connection.pragma('synchronous = OFF');
  const prepare = connection.prepare.bind(connection);
  const pause = new Int32Array(new SharedArrayBuffer(4));
  // Other processes have time to read what this one has read and is about to change, however few cores there are.
  connection.prepare = ((sql: string) => {
    if (/^(insert|update)/i.test(sql)) Atomics.wait(pause, 0, 0, 1);
    return prepare(sql);
  }) as typeof connection.prepare;
  return { query: drizzle(connection) as unknown as Tx & Reader, close: async () => void connection.close() };
}

async function postgres(url: string) {
  const { default: pg } = await import('pg');
  const { drizzle } = await import('drizzle-orm/node-postgres');
  const pool = new pg.Pool({ connectionString: url, max: 1 });
  // It is dropped together with its database.
  pool.on('error', () => {});
  return { query: drizzle(pool) as unknown as Tx & Reader, close: () => pool.end() };
}
