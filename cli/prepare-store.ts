import { mkdirSync } from 'node:fs';
import { migrateDatabase } from '#db/migrate.ts';
import { closeDataFolder } from '#platform/close-data-folder.ts';
import type { ConfigurationValues } from '#platform/configuration.ts';
import type { storeVariables } from '#platform/shared-variables.ts';
import { findMovedStore, openOrMakeVault, storeOf } from './settings.ts';

/**
 * Brings the database up to date as a start does: makes the data folder, the key and the schema of a new instance, and
 * migrates an older one. Refused with a reason, such as a key that is missing.
 */
export async function prepareStore(
  given: ConfigurationValues<typeof storeVariables>,
): Promise<Awaited<ReturnType<typeof openOrMakeVault>>> {
  const moved = findMovedStore(given);
  if (moved) return { ok: false, why: moved };
  if (!given.DATABASE_URL) mkdirSync(given.KEEPSAKE_DATA_DIR, { recursive: true, mode: 0o700 });
  closeDataFolder(given.KEEPSAKE_DATA_DIR);
  const opened = await openOrMakeVault(given);
  if (!opened.ok) return opened;
  try {
    await migrateDatabase(storeOf(given), opened.vault);
  } catch (error) {
    return { ok: false, why: (error as Error).message };
  }
  return opened;
}
