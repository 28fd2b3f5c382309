import { join } from 'node:path';
import BetterSqlite from 'better-sqlite3';
import { config } from '#app/config.server.ts';

/** Does something while one table of this file's store is gone, as after a restore that was cut short. */
export async function withoutTable<T>(table: string, deed: () => Promise<T>): Promise<T> {
  const store = new BetterSqlite(join(config().dataFolder, 'keepsake.db'));
  store.exec(`alter table ${table} rename to gone`);
  try {
    return await deed();
  } finally {
    store.exec(`alter table gone rename to ${table}`);
    store.close();
  }
}
