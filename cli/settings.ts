import { join } from 'node:path';
import { z } from 'zod';
import {
  type ConfigurationPlan,
  type ConfigurationValues,
  type Environment,
  readConfiguration,
} from '#platform/configuration.ts';
import {
  backupVariables,
  encryptionKeyOf,
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

/** The vault under the instance's key, which is made if there is none. */
export const vaultOf = (given: ConfigurationValues<typeof storeVariables>) =>
  createVault(Buffer.from(encryptionKeyOf(given), 'hex').toString('base64'));

export const storeOf = (given: ConfigurationValues<typeof storeVariables>) => ({
  databaseUrl: given.DATABASE_URL,
  file: join(given.KEEPSAKE_DATA_DIR, 'keepsake.db'),
});
