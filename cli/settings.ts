import { join } from 'node:path';
import { z } from 'zod';
import {
  type ConfigurationPlan,
  type Environment,
  keptSecret,
  readConfiguration,
} from '#domain/configuration.ts';
import { hexKey, port, postgresAddress } from '#domain/configuration-checks.ts';

/** Where everything is kept: what commands have in common with web and bot. */
export const storePlan = {
  schema: z.object({
    KEEPSAKE_DATA_DIR: z.string().default('data'),
    DATABASE_URL: postgresAddress.optional(),
    ENCRYPTION_KEY: hexKey.optional(),
  }),
  examples: {
    KEEPSAKE_DATA_DIR: '/var/lib/keepsake',
    DATABASE_URL: 'postgres://keepsake:password@localhost/keepsake',
    ENCRYPTION_KEY: 'what `openssl rand -hex 32` prints',
  },
  secrets: ['DATABASE_URL', 'ENCRYPTION_KEY'] as const,
};

const startSchema = storePlan.schema.extend({
  PORT: port.default(3000),
  BOT_PORT: port.default(3001),
  SANDBOX_PORTS_FROM: z.coerce
    .number({ message: 'must be a port number from 1 to 65530' })
    .int('must be a port number from 1 to 65530')
    .min(1, 'must be a port number from 1 to 65530')
    .max(65_530, 'must be a port number from 1 to 65530')
    .default(3010),
});
const startPlan: ConfigurationPlan<typeof startSchema> = {
  schema: startSchema,
  examples: { ...storePlan.examples, PORT: '3000', BOT_PORT: '3001', SANDBOX_PORTS_FROM: '3010' },
  secrets: storePlan.secrets,
};

type StoreSettings = z.output<typeof storePlan.schema>;

/** The variables that the supervisor itself needs; web, bot and sandbox have more of their own. */
export const readStartSettings = (environment: Environment) => readConfiguration(startPlan, environment);

export const storeOf = ({ DATABASE_URL, KEEPSAKE_DATA_DIR }: StoreSettings) => ({
  databaseUrl: DATABASE_URL,
  file: join(KEEPSAKE_DATA_DIR, 'keepsake.db'),
});

export const encryptionKeyOf = ({ ENCRYPTION_KEY, KEEPSAKE_DATA_DIR }: StoreSettings): string =>
  ENCRYPTION_KEY ?? keptSecret(KEEPSAKE_DATA_DIR, 'encryption-key');
