import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { keyFaults, wordsOf } from '#db/engine/prove-key.ts';
import { isNewStore } from '#db/migrate.ts';
import {
  type ConfigurationPlan,
  type ConfigurationValues,
  type Environment,
  readConfiguration,
} from '#platform/configuration.ts';
import {
  backupVariables,
  encryptionKeyOf,
  findEncryptionKey,
  portVariables,
  processVariables,
  storeVariables,
} from '#platform/shared-variables.ts';
import { createVault } from '#platform/vault.ts';

const sandboxPortProblem = 'must be a port number from 1 to 65530';

/** The variables of the supervisor. */
export const startPlan = {
  ...storeVariables,
  ...portVariables,
  ...backupVariables,
  BOT_SECRET: processVariables.BOT_SECRET,
  SANDBOX_PORTS_FROM: {
    about:
      'The first of the ports of the sandbox, which `npm start` runs without any Twitch, Steam or Stripe settings.',
    check: z.coerce
      .number({ message: sandboxPortProblem })
      .int(sandboxPortProblem)
      .min(1, sandboxPortProblem)
      .max(65_530, sandboxPortProblem)
      .default(3010),
    example: '3010',
  },
} as const satisfies ConfigurationPlan;

/** The variables the supervisor itself reads; web, bot and sandbox have more. */
export const readStartSettings = (environment: Environment) => readConfiguration(startPlan, environment);

export type StoreSettings = ConfigurationValues<typeof storeVariables>;
type VaultOutcome = { ok: true; vault: ReturnType<typeof createVault> } | { ok: false; why: string };

const underKey = (key: string): VaultOutcome => ({
  ok: true,
  vault: createVault(Buffer.from(key, 'hex').toString('base64')),
});

/** The vault under the key of an instance that has one. */
export function openVault(given: StoreSettings): VaultOutcome {
  const key = findEncryptionKey(given);
  return key === null ? { ok: false, why: wordsOf(keyFaults.missing) } : underKey(key);
}

/** Like `openVault` for migrations: a key is made for a new store, and for no other. */
export async function openOrMakeVault(given: StoreSettings): Promise<VaultOutcome> {
  const found = openVault(given);
  return found.ok || !(await isNewStore(storeOf(given))) ? found : underKey(encryptionKeyOf(given));
}

export const storeOf = (given: StoreSettings) => ({
  databaseUrl: given.DATABASE_URL,
  file: join(given.KEEPSAKE_DATA_DIR, 'keepsake.db'),
});

/**
 * Returns the new name of the SQLite file once PostgreSQL has all of it, so that nothing is started on it by
 * mistake.
 */
export const movedNameOf = (file: string): string => `${file}.moved`;

/**
 * Finds out why nothing may be started without DATABASE_URL if the SQLite database was moved away: it would
 * be a new instance.
 */
export function findMovedStore(given: StoreSettings): string | null {
  const { databaseUrl, file } = storeOf(given);
  if (databaseUrl || existsSync(file) || !existsSync(movedNameOf(file))) return null;
  return `DATABASE_URL is not set, but this instance was moved to PostgreSQL (${movedNameOf(file)}): set it, or move that file elsewhere to begin a new instance here.`;
}

/** Returns whether a start with these settings brings Twitch, Steam, Stripe and mail of its own: the demo. */
export const bringsOwnWorld = (environment: Environment): boolean =>
  !Object.entries(environment).some(([name, value]) => /^(TWITCH|STEAM|STRIPE)_/.test(name) && value);
