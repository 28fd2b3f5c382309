import { type BotRole, botVariables, findBotFaults } from '#platform/bot-variables.ts';
import { describeFaults, type Environment, readConfiguration, readSecrets } from '#platform/configuration.ts';
import { bareHost } from '#platform/listen-address.ts';
import { backupFolderOf, processValues, sharedSecretFiles } from '#platform/shared-variables.ts';
import { readSteamBotsFile, type SteamCredentials } from '#platform/steam-bots-file.ts';

/** Checks the variables of the bot's process. Steam, Twitch and mail are off when not configured. */
export function readBotConfiguration(environment: Environment) {
  const outcome = readConfiguration(botVariables, environment);
  if (!outcome.ok) return outcome;
  const given = outcome.values;
  const faults = findBotFaults(given);
  if (faults.length > 0) return { ok: false as const, faults };
  const listed = given.STEAM_BOTS_FILE
    ? readSteamBotsFile(given.STEAM_BOTS_FILE)
    : { ok: true as const, bots: [] as SteamCredentials[] };
  if (!listed.ok) return listed;
  const secrets = readSecrets(botVariables, given, sharedSecretFiles);
  if (!secrets.ok) return secrets;
  const { twitch, botSecret: secret, ...shared } = processValues(given, secrets.values);
  return {
    ok: true as const,
    values: {
      ...shared,
      watchedAtOnce: given.WATCHED_AT_ONCE,
      roles: new Set(given.BOT_ROLES.split(',') as BotRole[]),
      port: given.BOT_PORT,
      host: bareHost(given.HOST),
      botUrl: given.BOT_URL,
      secret,
      twitch: {
        ...twitch,
        botLogins: given.TWITCH_BOT_LOGIN?.split(',') ?? [],
        /** Lower-case logins of accounts that earn on no channel. */
        ignoredLogins: given.IGNORED_CHATTERS?.split(',') ?? [],
        ircUrl: given.TWITCH_IRC_URL ?? null,
        mockApiPort: given.TWURPLE_MOCK_API_PORT ?? null,
      },
      steam: { bots: listed.bots, httpProxy: given.STEAM_HTTP_PROXY?.href ?? null },
      backupFolder: backupFolderOf(given),
      pushServiceUrl: given.PUSH_SERVICE_URL ?? null,
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
