import { join } from 'node:path';
import { config } from '#app/config.server.ts';
import { logger } from '#app/http/logger.server.ts';
import { openDatabase } from '#db/database.ts';
import { isKeyOfDatabase } from '#db/engine/prove-key.ts';
import { vault } from './vault.server.ts';

/**
 * Returns whether the stored secrets were sealed with this process's key. A database that does not answer
 * keeps no process down.
 */
export async function hasOwnKey(): Promise<boolean> {
  const { dataFolder, databaseUrl } = config();
  const store = { databaseUrl: databaseUrl ?? undefined, file: join(dataFolder, 'keepsake.db') };
  try {
    const db = await openDatabase(store, vault());
    return await isKeyOfDatabase(db, vault()).finally(() => db.close());
  } catch (err) {
    logger().warn({ err }, 'could not compare the encryption key with the database');
    return true;
  }
}
