import { join } from 'node:path';
import { config } from '#app/config.server.ts';
import { BetterSqlite } from '#tests/support/better-sqlite.ts';

/** Runs something while one table of this file's database is missing, as after an incomplete restore. */
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
