import { openDatabase } from '#db/database.ts';
import { isKeyOfDatabase, keyFaults } from '#db/engine/prove-key.ts';
import { botVariables } from '#platform/bot-variables.ts';
import type { ConfigurationPlan, ConfigurationValues, Environment } from '#platform/configuration.ts';
import { webAddress } from '#platform/configuration-checks.ts';
import { localUrl, trialUrl } from '#platform/listen-address.ts';
import {
  findBotSecret,
  findEncryptionKey,
  processVariables,
  storeVariables,
} from '#platform/shared-variables.ts';
import { readSteamBotsFile } from '#platform/steam-bots-file.ts';
import { createVault } from '#platform/vault.ts';
import { webVariables } from '#platform/web-variables.ts';
import { storeOf } from '../settings.ts';
import { examineChatAccounts, examineSteamTokens } from './examine-accounts.ts';
import { examineBot } from './examine-bot.ts';
import { examineSteamClock, examineTwitchClock } from './examine-clock.ts';
import { examineMailServer } from './examine-mail-server.ts';
import { examinePublicAddress } from './examine-public-address.ts';
import { examineStripeAccount, stripePlan } from './examine-stripe.ts';
import { examineTwitchApplication } from './examine-twitch.ts';
import type { Examined, Finding } from './finding.ts';
import { readPart } from './read-part.ts';

/** A check of one server: the settings that it reads, and its findings. */
const check =
  <Plan extends ConfigurationPlan>(
    area: string,
    plan: Plan,
    find: (given: ConfigurationValues<Plan>, systemMs: number) => Promise<Finding[]>,
  ) =>
  async (environment: Environment, systemMs: number): Promise<Examined> => {
    const read = readPart(area, plan, environment);
    return read.ok
      ? { findings: await find(read.values, systemMs), omissions: [] }
      : { findings: [], omissions: [read.omission] };
  };

const application = {
  TWITCH_AUTH_URL: processVariables.TWITCH_AUTH_URL,
  TWITCH_CLIENT_ID: processVariables.TWITCH_CLIENT_ID,
  TWITCH_CLIENT_SECRET: processVariables.TWITCH_CLIENT_SECRET,
};
const address = { PUBLIC_URL: processVariables.PUBLIC_URL, PORT: processVariables.PORT };
const publicUrlOf = ({ PUBLIC_URL, PORT }: ConfigurationValues<typeof address>) =>
  PUBLIC_URL ?? new URL(trialUrl(PORT));

const checks = [
  check('the public address', { ...address, TRUST_PROXY: webVariables.TRUST_PROXY }, (given, systemMs) =>
    examinePublicAddress(publicUrlOf(given), { trustProxy: given.TRUST_PROXY, systemMs }),
  ),
  check(
    'the bot',
    {
      KEEPSAKE_DATA_DIR: processVariables.KEEPSAKE_DATA_DIR,
      // Without the default of web: the supervisor's web finds the bot at BOT_PORT.
      BOT_URL: { ...webVariables.BOT_URL, check: webAddress.optional() },
      BOT_PORT: botVariables.BOT_PORT,
      BOT_SECRET: processVariables.BOT_SECRET,
    },
    async (given) =>
      examineBot(given.BOT_URL ?? new URL(localUrl(undefined, given.BOT_PORT)), findBotSecret(given)),
  ),
  check(
    'Steam’s clock',
    { STEAM_BOTS_FILE: botVariables.STEAM_BOTS_FILE, STEAM_HTTP_PROXY: botVariables.STEAM_HTTP_PROXY },
    async ({ STEAM_BOTS_FILE, STEAM_HTTP_PROXY }) =>
      STEAM_BOTS_FILE ? examineSteamClock(STEAM_HTTP_PROXY?.href) : [],
  ),
  check('Twitch', { ...address, ...application }, async (given) => {
    const {
      TWITCH_AUTH_URL: authUrl,
      TWITCH_CLIENT_ID: clientId,
      TWITCH_CLIENT_SECRET: clientSecret,
    } = given;
    if (!clientId) return [];
    const found = await Promise.all([
      examineTwitchClock(authUrl),
      clientSecret ? examineTwitchApplication({ authUrl, clientId, clientSecret }, publicUrlOf(given)) : [],
    ]);
    return found.flat();
  }),
  check('the mail server', { SMTP_URL: botVariables.SMTP_URL }, async ({ SMTP_URL }) =>
    SMTP_URL ? examineMailServer(SMTP_URL) : [],
  ),
  check('the account at Stripe', stripePlan, examineStripeAccount),
];

/**
 * Asks the servers that the settings name: the public address, the bot, Steam's clock and Twitch's, Twitch itself, the
 * mail server and Stripe. Logs on to no Steam account, sends no mail and changes nothing. Says nothing of settings that
 * are missing, which `examineSettings` names.
 */
export async function examineServers(environment: Environment, systemMs: number): Promise<Examined> {
  const all = await Promise.all(checks.map((examine) => examine(environment, systemMs)));
  return {
    findings: all.flatMap(({ findings }) => findings),
    omissions: all.flatMap(({ omissions }) => omissions),
  };
}

const accountsPlan = {
  ...storeVariables,
  TWITCH_BOT_LOGIN: botVariables.TWITCH_BOT_LOGIN,
  TWITCH_AUTH_URL: processVariables.TWITCH_AUTH_URL,
  STEAM_BOTS_FILE: botVariables.STEAM_BOTS_FILE,
};
/** The name of the area that `examineAccounts` examines. */
export const accountsArea = 'chat accounts and tokens of Steam';

/** Examines the accounts in a database that is known to work: chat accounts and Steam's tokens. */
export async function examineAccounts(environment: Environment, systemMs: number): Promise<Examined> {
  const read = readPart(accountsArea, accountsPlan, environment);
  return read.ok
    ? { findings: await examineAccountsOf(read.values, systemMs), omissions: [] }
    : { findings: [], omissions: [read.omission] };
}

async function examineAccountsOf(
  given: ConfigurationValues<typeof accountsPlan>,
  systemMs: number,
): Promise<Finding[]> {
  const listed = given.STEAM_BOTS_FILE ? readSteamBotsFile(given.STEAM_BOTS_FILE) : null;
  const key = findEncryptionKey(given);
  if (key === null) return [{ name: 'encryptionKeyMissing', ...keyFaults.missing }];
  const vault = createVault(Buffer.from(key, 'hex').toString('base64'));
  const db = await openDatabase(storeOf(given), vault);
  try {
    if (!(await isKeyOfDatabase(db, vault))) return [{ name: 'encryptionKeyWrong', ...keyFaults.wrong }];
    return [
      ...(listed?.ok ? await examineSteamTokens({ db, vault }, listed.bots, systemMs) : []),
      ...(await examineChatAccounts(
        { db, vault },
        { logins: given.TWITCH_BOT_LOGIN?.split(',') ?? [], authUrl: given.TWITCH_AUTH_URL },
        systemMs,
      )),
    ];
  } finally {
    await db.close();
  }
}
