import { z } from 'zod';
import { readSteamBotsFile, type SteamCredentials } from '#bot/steam-bots-file.ts';
import {
  type ConfigurationPlan,
  describeFaults,
  type Environment,
  keptSecret,
  readConfiguration,
} from '#domain/configuration.ts';
import {
  hexKey,
  isLoopback,
  logLevel,
  longSecret,
  origin,
  port,
  postgresAddress,
  webAddress,
} from '#domain/configuration-checks.ts';

const schema = z.object({
  BOT_PORT: port.default(3001),
  HOST: z.string().default('127.0.0.1'),
  BOT_SECRET: longSecret.optional(),
  PORT: port.default(3000),
  PUBLIC_URL: origin.optional(),
  KEEPSAKE_DATA_DIR: z.string().default('data'),
  DATABASE_URL: postgresAddress.optional(),
  ENCRYPTION_KEY: hexKey.optional(),
  TWITCH_CLIENT_ID: z.string().optional(),
  TWITCH_CLIENT_SECRET: z.string().optional(),
  TWITCH_BOT_LOGIN: z
    .string()
    .regex(
      /^[a-z0-9_]{1,25}(,[a-z0-9_]{1,25})*$/,
      'must be a login of lower-case letters, digits and underscores, or several with commas between',
    )
    .optional(),
  TWITCH_AUTH_URL: webAddress.default(new URL('https://id.twitch.tv/oauth2')),
  TWITCH_IRC_URL: z.url({ protocol: /^wss?$/, message: 'must be a ws or wss address' }).optional(),
  TWURPLE_MOCK_API_PORT: port.optional(),
  STEAM_BOTS_FILE: z.string().optional(),
  STEAM_HTTP_PROXY: webAddress.optional(),
  SMTP_URL: z.url({ protocol: /^smtps?$/, message: 'must be an smtp or smtps address' }).optional(),
  MAIL_FROM: z.string().default('Keepsake <no-reply@localhost>'),
  KEEPSAKE_CLOCK_URL: webAddress.optional(),
  LOG_LEVEL: logLevel.default('info'),
});

const plan: ConfigurationPlan<typeof schema> = {
  schema,
  examples: {
    BOT_PORT: '3001',
    HOST: '127.0.0.1',
    BOT_SECRET: 'a line of at least 32 characters',
    PORT: '3000',
    PUBLIC_URL: 'https://keepsake.example',
    KEEPSAKE_DATA_DIR: '/var/lib/keepsake',
    DATABASE_URL: 'postgres://keepsake:password@localhost/keepsake',
    ENCRYPTION_KEY: 'what `openssl rand -hex 32` prints',
    TWITCH_CLIENT_ID: 'the client id of your application at dev.twitch.tv',
    TWITCH_CLIENT_SECRET: 'the client secret of your application at dev.twitch.tv',
    TWITCH_BOT_LOGIN: 'keepsake_bot',
    TWITCH_AUTH_URL: 'https://id.twitch.tv/oauth2',
    TWITCH_IRC_URL: 'wss://irc-ws.chat.twitch.tv',
    TWURPLE_MOCK_API_PORT: '3011',
    STEAM_BOTS_FILE: '/etc/keepsake/steam-bots.json',
    STEAM_HTTP_PROXY: 'http://127.0.0.1:3012',
    SMTP_URL: 'smtps://user:password@mail.example',
    MAIL_FROM: 'Keepsake <no-reply@keepsake.example>',
    KEEPSAKE_CLOCK_URL: 'http://127.0.0.1:3015',
    LOG_LEVEL: 'info',
  },
  secrets: ['BOT_SECRET', 'DATABASE_URL', 'ENCRYPTION_KEY', 'TWITCH_CLIENT_SECRET', 'SMTP_URL'],
};

/** Checks the variables of the bot's process. What nothing is configured for is off: Steam, Twitch, mail. */
export function readBotConfiguration(environment: Environment) {
  const outcome = readConfiguration(plan, environment);
  if (!outcome.ok) return outcome;
  const given = outcome.values;
  if (!isLoopback(given.HOST) && given.BOT_SECRET === undefined) {
    const problem = 'is not set, but HOST lets other machines in';
    const example = `BOT_SECRET=${plan.examples.BOT_SECRET}`;
    return { ok: false as const, faults: [{ variable: 'BOT_SECRET', problem, example }] };
  }
  const listed = given.STEAM_BOTS_FILE
    ? readSteamBotsFile(given.STEAM_BOTS_FILE)
    : { ok: true as const, bots: [] as SteamCredentials[] };
  if (!listed.ok) return listed;
  return {
    ok: true as const,
    values: {
      port: given.BOT_PORT,
      host: given.HOST,
      secret: given.BOT_SECRET ?? null,
      publicUrl: given.PUBLIC_URL ?? new URL(`http://localhost:${given.PORT}`),
      dataFolder: given.KEEPSAKE_DATA_DIR,
      databaseUrl: given.DATABASE_URL ?? null,
      encryptionKey: given.ENCRYPTION_KEY ?? keptSecret(given.KEEPSAKE_DATA_DIR, 'encryption-key'),
      twitch: {
        clientId: given.TWITCH_CLIENT_ID ?? null,
        clientSecret: given.TWITCH_CLIENT_SECRET ?? null,
        botLogins: given.TWITCH_BOT_LOGIN?.split(',') ?? [],
        authUrl: given.TWITCH_AUTH_URL,
        ircUrl: given.TWITCH_IRC_URL ?? null,
        mockApiPort: given.TWURPLE_MOCK_API_PORT ?? null,
      },
      steam: { bots: listed.bots, httpProxy: given.STEAM_HTTP_PROXY?.href ?? null },
      mail: { smtpUrl: given.SMTP_URL ?? null, from: given.MAIL_FROM },
      clockUrl: given.KEEPSAKE_CLOCK_URL ?? null,
      logLevel: given.LOG_LEVEL,
    },
  };
}

export type BotConfiguration = Extract<ReturnType<typeof readBotConfiguration>, { ok: true }>['values'];

/** The configuration of this process. Faults end it, one line each: it could only do harm without. */
export function loadBotConfiguration(): BotConfiguration {
  const outcome = readBotConfiguration(process.env);
  if (outcome.ok) return outcome.values;
  console.error(describeFaults(outcome.faults));
  process.exit(1);
}
