import { join } from 'node:path';
import { z } from 'zod';
import {
  type ConfigurationFault,
  type ConfigurationPlan,
  type ConfigurationValues,
  faultOf,
  findSecret,
  readOrCreateSecret,
} from './configuration.ts';
import {
  folder,
  hexKey,
  isLoopback,
  logLevel,
  longSecret,
  origin,
  port,
  postgresAddress,
  webAddress,
} from './configuration-checks.ts';

import { trialUrl } from './listen-address.ts';

// Variables read by several processes, each with one check and one example.

/** The place where data is stored. */
export const storeVariables = {
  KEEPSAKE_DATA_DIR: {
    about: 'The data folder.',
    check: z.string().default('data'),
    example: '/var/lib/keepsake',
  },
  DATABASE_URL: {
    about: 'The PostgreSQL database. Unset: an SQLite file in the data folder.',
    check: postgresAddress.optional(),
    example: 'postgres://keepsake:password@localhost/keepsake',
    secret: true,
  },
  ENCRYPTION_KEY: {
    about: 'Encrypts stored secrets. Unset: created at the first start and stored in the data folder.',
    check: hexKey.optional(),
    example: 'what `openssl rand -hex 32` prints',
    secret: true,
  },
} as const satisfies ConfigurationPlan;

const channelsProblem = 'must be a whole number from 1 to 1000';

/** The definition of watching; the bot counts by it, and pages state it. */
export const watchVariables = {
  WATCHED_AT_ONCE: {
    about:
      'In how many live channels at once an account earns watch time. Beyond that it counts where the account has been longest.',
    check: z.coerce
      .number({ message: channelsProblem })
      .int(channelsProblem)
      .min(1, channelsProblem)
      .max(1000, channelsProblem)
      .default(3),
    example: '3',
  },
} as const satisfies ConfigurationPlan;

/** The place of backups, their number, and the key that encrypts them. */
export const backupVariables = {
  BACKUP_DIR: {
    about: 'Where backups are; better on another disk. Unset: `backups` in the data folder.',
    check: z.string().optional(),
    example: '/var/backups/keepsake',
  },
  BACKUP_COUNT: {
    about:
      'How many backups stay. With 0, none are made automatically, for example because your PostgreSQL is backed up by others.',
    check: z.coerce
      .number({ message: 'must be a number' })
      .int('must be a whole number')
      .min(0, 'must be 0 or more')
      .default(7),
    example: '7',
  },
  BACKUP_PASSPHRASE: {
    about: 'Encrypts backups (AES-256-GCM, scrypt). Without it nobody can restore them, you included.',
    check: z.string().min(12, 'must have at least 12 characters').optional(),
    example: 'a sentence that only you know',
    secret: true,
  },
} as const satisfies ConfigurationPlan;

/** The folder of an instance's backups. */
export const backupFolderOf = (given: { KEEPSAKE_DATA_DIR: string; BACKUP_DIR?: string | undefined }) =>
  given.BACKUP_DIR ?? join(given.KEEPSAKE_DATA_DIR, 'backups');

export const portVariables = {
  PORT: { about: 'The port of the web process.', check: port.default(3000), example: '3000' },
  BOT_PORT: { about: "The port of the bot's own API.", check: port.default(3001), example: '3001' },
} as const satisfies ConfigurationPlan;

/** Currencies with two decimals; an instance uses one, because Stripe keeps each customer to the first one. */
const currencies = ['usd', 'eur', 'gbp', 'cad', 'aud', 'chf', 'brl', 'pln'] as const;
const taxes = ['none', 'stripe', 'managed'] as const;
const switches = ['off', 'on'] as const;

/** Stripe. Without a key the instance is free. */
export const billingVariables = {
  STRIPE_SECRET_KEY: {
    about: "Stripe's secret key. Unset: the instance is free.",
    check: z
      .string()
      .regex(/^(sk|rk)_/, 'must begin with sk_ or rk_')
      .optional(),
    example: 'the secret key at dashboard.stripe.com/apikeys',
    secret: true,
  },
  STRIPE_WEBHOOK_SECRET: {
    about: 'Checks that events come from Stripe. Required with `STRIPE_SECRET_KEY`.',
    check: z
      .string()
      .regex(/^whsec_/, 'must begin with whsec_')
      .optional(),
    example: 'what `npm run keepsake -- stripe:setup` prints',
    secret: true,
  },
  STRIPE_API_URL: {
    about: "The address of Stripe's API.",
    check: origin.default(new URL('https://api.stripe.com')),
    example: 'https://api.stripe.com',
  },
  STRIPE_CURRENCY: {
    about: 'The currency of all plans.',
    check: z.enum(currencies, { message: `must be one of ${currencies.join(', ')}` }).default('usd'),
    example: 'usd',
  },
  STRIPE_TAX: {
    about: "Who calculates tax: nobody, Stripe Tax, or Stripe's managed payments.",
    check: z.enum(taxes, { message: `must be ${taxes.join(', ')}` }).default('none'),
    example: 'none',
  },
  STRIPE_DEBITS: {
    about:
      'Whether plans can also be paid by direct debit from a bank account. The bank answers after days: [what follows from it](billing.md#direct-debit).',
    check: z.enum(switches, { message: `must be ${switches.join(' or ')}` }).default('off'),
    example: 'off',
  },
  STRIPE_PORTAL_CONFIGURATION: {
    about: "The configuration of Stripe's customer portal.",
    check: z.string().regex(/^bpc_/, 'must begin with bpc_').optional(),
    example: 'what `npm run keepsake -- stripe:setup` prints',
  },
} as const satisfies ConfigurationPlan;

/** The settings for Stripe; null on a free instance. */
export type BillingSettings = NonNullable<ReturnType<typeof billingSettingsOf>>;

/** Stripe's settings, or null without a key. */
export function billingSettingsOf(given: ConfigurationValues<typeof billingVariables>) {
  if (!given.STRIPE_SECRET_KEY) return null;
  return {
    secretKey: given.STRIPE_SECRET_KEY,
    webhookSecret: given.STRIPE_WEBHOOK_SECRET ?? null,
    apiUrl: given.STRIPE_API_URL,
    currency: given.STRIPE_CURRENCY,
    tax: given.STRIPE_TAX,
    debits: given.STRIPE_DEBITS === 'on',
    portalConfiguration: given.STRIPE_PORTAL_CONFIGURATION ?? null,
  };
}

/** Variables of both web and bot. */
export const processVariables = {
  ...storeVariables,
  ...billingVariables,
  PORT: portVariables.PORT,
  PUBLIC_URL: {
    about: 'The address people use. Unset: `http://localhost` with `PORT`, for a local trial.',
    check: origin.optional(),
    example: 'https://keepsake.example',
    needed: true,
  },
  BOT_SECRET: {
    about:
      "Authenticates web to the bot's API. Unset: created at the first start and stored in the data folder. Required if `BOT_URL` or the bot's `HOST` leaves this machine.",
    check: longSecret.optional(),
    example: 'a line of at least 32 characters',
    secret: true,
  },
  TWITCH_CLIENT_ID: {
    about: 'The client id of the Twitch application.',
    check: z.string().optional(),
    example: 'the client id of your application at dev.twitch.tv',
  },
  TWITCH_CLIENT_SECRET: {
    about: 'The client secret of the Twitch application.',
    check: z.string().optional(),
    example: 'the client secret of your application at dev.twitch.tv',
    secret: true,
  },
  TWITCH_AUTH_URL: {
    about: "The address of Twitch's OAuth endpoints.",
    check: webAddress.default(new URL('https://id.twitch.tv/oauth2')),
    example: 'https://id.twitch.tv/oauth2',
  },
  TWURPLE_MOCK_API_PORT: {
    about: 'The local port of a mock Twitch API, used in place of Twitch.',
    check: port.optional(),
    example: '3011',
  },
  STEAM_IMAGE_URL: {
    about: 'Where images of items are loaded from.',
    check: folder.default(new URL('https://community.fastly.steamstatic.com/economy/image/')),
    example: 'https://community.fastly.steamstatic.com/economy/image/',
  },
  KEEPSAKE_CLOCK_URL: {
    about: "A clock to use in place of the machine's.",
    check: webAddress.optional(),
    example: 'http://127.0.0.1:3015',
  },
  OPERATOR_EMAIL: {
    about:
      'Receives messages from the contact form, and mail about what needs you: items that differ, payments that were reversed, what Stripe refuses. Unset: messages stay in the database, and the rest in the log and in `keepsake custody`.',
    check: z.email('must be a mail address').optional(),
    example: 'you@keepsake.example',
  },
  METRICS_TOKEN: {
    about:
      'Lets Prometheus read [measurements](monitoring/README.md) at `/metrics` of web and bot. Unset: there is no such page.',
    check: longSecret.optional(),
    example: 'what `openssl rand -hex 32` prints',
    secret: true,
  },
  LOG_LEVEL: {
    about:
      'The lowest level that is logged, also by the supervisor (`npm start`) and `keepsake backup --repeat`.',
    check: logLevel.default('info'),
    example: 'info',
  },
} as const satisfies ConfigurationPlan;

interface Outward {
  PUBLIC_URL?: URL | undefined;
  TWITCH_CLIENT_ID?: string | undefined;
  TWITCH_AUTH_URL: URL;
  SMTP_URL?: string | undefined;
}

/**
 * The fault of an instance that others reach, by Twitch or by mail, and that does not know its own address. A Twitch and a
 * mail server of this machine are a developer's.
 */
export function findPublicUrlFault(given: Outward): ConfigurationFault[] {
  if (given.PUBLIC_URL) return [];
  const hasTwitch = Boolean(given.TWITCH_CLIENT_ID) && !isLoopback(given.TWITCH_AUTH_URL.hostname);
  const hasMail = Boolean(given.SMTP_URL) && !isLoopback(new URL(given.SMTP_URL ?? '').hostname);
  if (!hasTwitch && !hasMail) return [];
  const cause = hasTwitch ? 'TWITCH_CLIENT_ID' : 'SMTP_URL';
  const problem = `is not set, but ${cause} is: links in mail and the way back from Twitch would lead to localhost (for a trial at this machine, set http://localhost:3000)`;
  return [faultOf(processVariables, 'PUBLIC_URL', problem)];
}

/** The files, in the data folder, of secrets that web and bot share and that are not set. */
export const sharedSecretFiles = { ENCRYPTION_KEY: 'encryption-key', BOT_SECRET: 'bot-secret' } as const;

/** The encryption key for secrets at rest: as configured, or from the data folder. */
export const encryptionKeyOf = (given: ConfigurationValues<typeof storeVariables>): string =>
  given.ENCRYPTION_KEY ?? readOrCreateSecret(given.KEEPSAKE_DATA_DIR, sharedSecretFiles.ENCRYPTION_KEY);

type Given<Name extends string> = { KEEPSAKE_DATA_DIR: string } & { [Each in Name]?: string | undefined };

/** Returns the encryption key if there is one; none is made. */
export const findEncryptionKey = (given: Given<'ENCRYPTION_KEY'>): string | null =>
  given.ENCRYPTION_KEY ?? findSecret(given.KEEPSAKE_DATA_DIR, sharedSecretFiles.ENCRYPTION_KEY);

/** The secret between web and bot, if there is one; none is made. */
export const findBotSecret = (given: Given<'BOT_SECRET'>): string | null =>
  given.BOT_SECRET ?? findSecret(given.KEEPSAKE_DATA_DIR, sharedSecretFiles.BOT_SECRET);

/** Values web and bot derive from their shared variables. */
export function processValues(
  given: ConfigurationValues<typeof processVariables>,
  secrets: Record<keyof typeof sharedSecretFiles, string>,
) {
  return {
    publicUrl: given.PUBLIC_URL ?? new URL(trialUrl(given.PORT)),
    dataFolder: given.KEEPSAKE_DATA_DIR,
    databaseUrl: given.DATABASE_URL ?? null,
    encryptionKey: secrets.ENCRYPTION_KEY,
    botSecret: secrets.BOT_SECRET,
    twitch: {
      clientId: given.TWITCH_CLIENT_ID ?? null,
      clientSecret: given.TWITCH_CLIENT_SECRET ?? null,
      authUrl: given.TWITCH_AUTH_URL,
    },
    billing: billingSettingsOf(given),
    operatorEmail: given.OPERATOR_EMAIL ?? null,
    imageUrl: given.STEAM_IMAGE_URL,
    clockUrl: given.KEEPSAKE_CLOCK_URL ?? null,
    metricsToken: given.METRICS_TOKEN ?? null,
    logLevel: given.LOG_LEVEL,
  };
}
