import { openDatabase } from '#db/database.ts';
import { isKeyOfDatabase, keyFaults } from '#db/prove-key.ts';
import { botVariables } from '#platform/bot-variables.ts';
import { type Environment, readConfiguration } from '#platform/configuration.ts';
import { findBotSecret, findEncryptionKey, processVariables } from '#platform/shared-variables.ts';
import { readSteamBotsFile } from '#platform/steam-bots-file.ts';
import { createVault } from '#platform/vault.ts';
import { webVariables } from '#platform/web-variables.ts';
import { storeOf } from '../settings.ts';
import { examineChatAccounts, examineLeases, examineSteamTokens } from './examine-accounts.ts';
import { examineBot } from './examine-bot.ts';
import { examineSteamClock, examineTwitchClock } from './examine-clock.ts';
import { examineMailServer } from './examine-mail-server.ts';
import { examinePublicAddress } from './examine-public-address.ts';
import { examineTwitchApplication } from './examine-twitch.ts';
import type { Finding } from './finding.ts';

/** What the checks of servers read of the settings. */
const plan = {
  ...processVariables,
  BOT_URL: webVariables.BOT_URL,
  TRUST_PROXY: webVariables.TRUST_PROXY,
  TWITCH_BOT_LOGIN: botVariables.TWITCH_BOT_LOGIN,
  STEAM_BOTS_FILE: botVariables.STEAM_BOTS_FILE,
  STEAM_HTTP_PROXY: botVariables.STEAM_HTTP_PROXY,
  SMTP_URL: botVariables.SMTP_URL,
  BOT_PORT: botVariables.BOT_PORT,
};

/**
 * Asks the servers that the settings name: the public address, the bot, Steam's clock and Twitch's, Twitch itself and the mail server. Logs
 * on to no Steam account, sends no mail and changes nothing. Says nothing of settings that are missing or invalid, which
 * `examineSettings` names.
 */
export async function examineServers(environment: Environment, systemMs: number): Promise<Finding[]> {
  const read = readConfiguration(plan, environment);
  if (!read.ok) return [];
  const given = read.values;
  const publicUrl = given.PUBLIC_URL ?? new URL(`http://localhost:${given.PORT}`);
  const { TWITCH_CLIENT_ID: clientId, TWITCH_CLIENT_SECRET: clientSecret } = given;
  const botUrl = environment.BOT_URL ? given.BOT_URL : new URL(`http://127.0.0.1:${given.BOT_PORT}`);
  const found = await Promise.all([
    examinePublicAddress(publicUrl, { trustsProxy: given.TRUST_PROXY === 'true', systemMs }),
    examineBot(botUrl, findBotSecret(given)),
    given.STEAM_BOTS_FILE ? examineSteamClock(given.STEAM_HTTP_PROXY?.href) : [],
    clientId ? examineTwitchClock(given.TWITCH_AUTH_URL) : [],
    clientId && clientSecret
      ? examineTwitchApplication({ authUrl: given.TWITCH_AUTH_URL, clientId, clientSecret }, publicUrl)
      : [],
    given.SMTP_URL ? examineMailServer(given.SMTP_URL) : [],
  ]);
  return found.flat();
}

/** Examines the accounts in a database that is known to work: chat accounts, Steam's tokens and leases. */
export async function examineAccounts(environment: Environment, systemMs: number): Promise<Finding[]> {
  const read = readConfiguration(plan, environment);
  if (!read.ok) return [];
  const given = read.values;
  const listed = given.STEAM_BOTS_FILE ? readSteamBotsFile(given.STEAM_BOTS_FILE) : null;
  const key = findEncryptionKey(given);
  if (key === null) return [{ name: 'encryptionKeyMissing', ...keyFaults.missing }];
  const vault = createVault(Buffer.from(key, 'hex').toString('base64'));
  const database = await openDatabase(storeOf(given), vault);
  try {
    if (!(await isKeyOfDatabase(database, vault)))
      return [{ name: 'encryptionKeyWrong', ...keyFaults.wrong }];
    return [
      ...(await examineLeases(database, systemMs)),
      ...(listed?.ok ? await examineSteamTokens({ database, vault }, listed.bots, systemMs) : []),
      ...(await examineChatAccounts(
        { database, vault },
        { logins: given.TWITCH_BOT_LOGIN?.split(',') ?? [], authUrl: given.TWITCH_AUTH_URL },
        systemMs,
      )),
    ];
  } finally {
    await database.close();
  }
}
