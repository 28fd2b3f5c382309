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
/**
 * PostgreSQL is starting or ending, its port is not open yet, its container has no name yet, its machine is not there
 * yet, or a pooler or proxy before it has found none.
 */
const startingCodes = new Set([
  ...['57P01', '57P02', '57P03', '08P01'],
  ...['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'ECONNRESET', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH'],
  ...['hung up', 'silent', 'standby'],
]);
/** pg's errors without a code, by their texts. */
const uncoded: Readonly<Record<string, string>> = {
  'Connection terminated unexpectedly': 'hung up',
  'timeout expired': 'silent',
  'Query read timeout': 'silent',
};

interface Patience {
  waitMs?: number;
  retryMs?: number;
  /** Ends the wait. */
  isOver?: () => boolean;
}

/** Waits until a PostgreSQL that is starting takes writes, for up to five minutes, and says once that it waits. */
export async function untilStarted(
  { DATABASE_URL: url }: Pick<ConfigurationValues<typeof storeVariables>, 'DATABASE_URL'>,
  print: (line: string) => void,
  { waitMs = WAIT_MS, retryMs = RETRY_MS, isOver = () => false }: Patience = {},
): Promise<void> {
  if (!url) return;
  const untilMs = steadyMs() + waitMs;
  for (let attempts = 0; !isOver(); attempts += 1) {
    const code = await whyNotReached(url);
    if (!startingCodes.has(code) || steadyMs() >= untilMs) return;
    if (attempts === 0) print(`The database does not answer yet (${code}); waiting for it.`);
    await delay(retryMs);
  }
}

/** Returns the code of the reason why a server takes no writes yet; an empty one if it does, or no wait would help. */
async function whyNotReached(url: string): Promise<string> {
  const patience = { connectionTimeoutMillis: 10_000, query_timeout: 10_000 };
  const client = new pg.Client({ connectionString: url, ...patience });
  client.on('error', () => {});
  try {
    await client.connect();
    // A pooler lets clients in before it has reached a server.
    const { rows } = await client.query<{ standby: boolean }>('select pg_is_in_recovery() as standby');
    return rows[0]?.standby ? 'standby' : '';
  } catch (error) {
    const { message } = error as Error;
    // pgbouncer has one code for all its refusals.
    if (message.startsWith('no such')) return '';
    return errorCode(error) || (uncoded[message] ?? '');
  } finally {
    await client.end().catch(() => {});
  }
}

/** With PostgreSQL and a key of its own nothing is stored in the data folder. */
const findObstacles = (given: ConfigurationValues<typeof storeVariables>) =>
  given.DATABASE_URL && given.ENCRYPTION_KEY
    ? []
    : findFolderObstacles(given.KEEPSAKE_DATA_DIR, { hasDatabase: !given.DATABASE_URL });
