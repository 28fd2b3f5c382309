import type { Database, Tx } from '#db/database.ts';

/**
 * Stores that something was used just now. Where that fails, as on a full disk, the use itself goes on: the next one is
 * stored instead.
 */
export const recordUse = (db: Database, write: (tx: Tx) => Promise<unknown>): Promise<void> =>
  db.transaction(async (tx) => void (await write(tx))).catch(() => {});
