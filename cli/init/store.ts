import { type Database, openDatabase } from '#db/database.ts';
import { isNewStore } from '#db/migrate.ts';
import { listUsedBots } from '#domain/bot/list-used-bots.ts';
import type { Vault } from '#domain/kernel/vault.ts';
import { type Environment, readConfiguration } from '#platform/configuration.ts';
import { storeVariables } from '#platform/shared-variables.ts';
import { prepareStore } from '../prepare-store.ts';
import { openVault, type StoreSettings, storeOf } from '../settings.ts';

type Used<Result> = { ok: true; result: Result } | { ok: false; why: string };

/**
 * Runs something on the instance's database. For a new instance it is created first if wanted, as a start
 * does; otherwise there is none. An existing one is opened as it is, because only a start saves a copy before
 * it migrates.
 */
export async function withStore<Result>(
  given: StoreSettings,
  { makes }: { makes: boolean },
  use: (db: Database, vault: Vault) => Promise<Result>,
): Promise<Used<Result>> {
  try {
    const isNew = await isNewStore(storeOf(given));
    if (isNew && !makes) return { ok: false, why: 'There is no database yet.' };
    const opened = isNew ? await prepareStore(given) : openVault(given);
    if (!opened.ok) return opened;
    const db = await openDatabase(storeOf(given), opened.vault);
    try {
      return { ok: true, result: await use(db, opened.vault) };
    } finally {
      await db.close();
    }
  } catch (error) {
    return { ok: false, why: (error as Error).message };
  }
}

/** The names of the bots that a running Keepsake uses now. */
export async function findRunningBots(environment: Environment): Promise<string[]> {
  const read = readConfiguration(storeVariables, environment);
  if (!read.ok) return [];
  const found = await withStore(read.values, { makes: false }, ({ read }) => listUsedBots(read));
  return found.ok ? found.result : [];
}
