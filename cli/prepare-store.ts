import { mkdirSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { wordsOf } from '#db/engine/prove-key.ts';
import { whyNotOpened } from '#db/engine/store-refused.ts';
import { errorCode } from '#db/error-code.ts';
import { migrateDatabase } from '#db/migrate.ts';
import { closeDataFolder } from '#platform/close-data-folder.ts';
import type { ConfigurationValues } from '#platform/configuration.ts';
import type { storeVariables } from '#platform/shared-variables.ts';
import { steadyMs } from '#platform/steady-time.ts';
import { findFolderObstacles } from './doctor/examine-folder.ts';
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
  const obstacles = findObstacles(given);
  if (obstacles.length > 0) return { ok: false, why: obstacles.map(wordsOf).join('\n') };
  if (!given.DATABASE_URL) mkdirSync(given.KEEPSAKE_DATA_DIR, { recursive: true, mode: 0o700 });
  closeDataFolder(given.KEEPSAKE_DATA_DIR);
  try {
    const opened = await openOrMakeVault(given);
    if (opened.ok) await migrateDatabase(storeOf(given), opened.vault);
    return opened;
  } catch (error) {
    return { ok: false, why: whyNotOpened(error) ?? (error as Error).message };
  }
}

const WAIT_MS = 5 * 60_000;
const RETRY_MS = 2_000;
/** PostgreSQL is starting, its port is not open yet, or its container has no name yet. */
const startingCodes = new Set(['57P03', 'ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'ECONNRESET']);

/** Waits until a PostgreSQL that is starting answers, for up to five minutes, and says once that it waits. */
export async function untilStarted(
  { DATABASE_URL: url }: Pick<ConfigurationValues<typeof storeVariables>, 'DATABASE_URL'>,
  print: (line: string) => void,
  times: { waitMs: number; retryMs: number } = { waitMs: WAIT_MS, retryMs: RETRY_MS },
): Promise<void> {
  if (!url) return;
  const untilMs = steadyMs() + times.waitMs;
  for (let attempts = 0; ; attempts += 1) {
    const code = await whyNotReached(url);
    if (!startingCodes.has(code) || steadyMs() >= untilMs) return;
    if (attempts === 0) print(`The database does not answer yet (${code}); waiting for it.`);
    await delay(times.retryMs);
  }
}

/** Returns the code of the reason why a server is not reached; an empty one if it is. */
async function whyNotReached(url: string): Promise<string> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 });
  client.on('error', () => {});
  try {
    await client.connect();
    return '';
  } catch (error) {
    return errorCode(error);
  } finally {
    await client.end().catch(() => {});
  }
}

/** With PostgreSQL and a key of its own nothing is stored in the data folder. */
const findObstacles = (given: ConfigurationValues<typeof storeVariables>) =>
  given.DATABASE_URL && given.ENCRYPTION_KEY
    ? []
    : findFolderObstacles(given.KEEPSAKE_DATA_DIR, { hasDatabase: !given.DATABASE_URL });
