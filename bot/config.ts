import { z } from 'zod';
import { readSteamBotsFile, type SteamCredentials } from '#bot/steam-bots-file.ts';
import {
  type ConfigurationPlan,
  describeFaults,
  type Environment,
  faultOf,
  readConfiguration,
} from '#platform/configuration.ts';
import { isLoopback, webAddress } from '#platform/configuration-checks.ts';
import {
  backupFolderOf,
  backupVariables,
  portVariables,
  processValues,
  processVariables,
} from '#platform/shared-variables.ts';

const plan = {
  ...processVariables,
  BOT_PORT: portVariables.BOT_PORT,
  HOST: { check: z.string().default('127.0.0.1'), example: '127.0.0.1' },
  TWITCH_BOT_LOGIN: {
    check: z
      .string()
      .regex(
        /^[a-z0-9_]{1,25}(,[a-z0-9_]{1,25})*$/,
        'must be a login of lower-case letters, digits and underscores, or several with commas between',
      )
      .optional(),
    example: 'keepsake_bot',
  },
  TWITCH_IRC_URL: {
    check: z.url({ protocol: /^wss?$/, message: 'must be a ws or wss address' }).optional(),
    example: 'wss://irc-ws.chat.twitch.tv',
  },
  BACKUP_DIR: backupVariables.BACKUP_DIR,
  STEAM_BOTS_FILE: { check: z.string().optional(), example: '/etc/keepsake/steam-bots.json' },
  STEAM_HTTP_PROXY: { check: webAddress.optional(), example: 'http://127.0.0.1:3012' },
  SMTP_URL: {
    check: z.url({ protocol: /^smtps?$/, message: 'must be an smtp or smtps address' }).optional(),
    example: 'smtps://user:password@mail.example',
    secret: true,
  },
  MAIL_FROM: {
    check: z.string().default('Keepsake <no-reply@localhost>'),
    example: 'Keepsake <no-reply@keepsake.example>',
  },
} as const satisfies ConfigurationPlan;

/** Checks the variables of the bot's process. Steam, Twitch and mail are off when not configured. */
export function readBotConfiguration(environment: Environment) {
  const outcome = readConfiguration(plan, environment);
  if (!outcome.ok) return outcome;
  const given = outcome.values;
  if (!isLoopback(given.HOST) && given.BOT_SECRET === undefined)
    return {
      ok: false as const,
      faults: [faultOf(plan, 'BOT_SECRET', 'is not set, but HOST lets other machines in')],
    };
  const listed = given.STEAM_BOTS_FILE
    ? readSteamBotsFile(given.STEAM_BOTS_FILE)
    : { ok: true as const, bots: [] as SteamCredentials[] };
  if (!listed.ok) return listed;
  const { twitch, ...shared } = processValues(given);
  return {
    ok: true as const,
    values: {
      ...shared,
      port: given.BOT_PORT,
      host: given.HOST,
      secret: given.BOT_SECRET ?? null,
      twitch: {
        ...twitch,
        botLogins: given.TWITCH_BOT_LOGIN?.split(',') ?? [],
        ircUrl: given.TWITCH_IRC_URL ?? null,
        mockApiPort: given.TWURPLE_MOCK_API_PORT ?? null,
      },
      steam: { bots: listed.bots, httpProxy: given.STEAM_HTTP_PROXY?.href ?? null },
      /** Null on PostgreSQL, whose backups are the operator's. */
      backupFolder: given.DATABASE_URL ? null : backupFolderOf(given),
      mail: { smtpUrl: given.SMTP_URL ?? null, from: given.MAIL_FROM },
    },
  };
}

export type BotConfiguration = Extract<ReturnType<typeof readBotConfiguration>, { ok: true }>['values'];

/** The configuration of this process. Exits with one line per fault if it is invalid. */
export function loadBotConfiguration(): BotConfiguration {
  const outcome = readBotConfiguration(process.env);
  if (outcome.ok) return outcome.values;
  console.error(describeFaults(outcome.faults));
  process.exit(1);
}
