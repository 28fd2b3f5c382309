import { findChatAccount } from '#domain/account/twitch/find-chat-account.ts';
import { botVariables } from '#platform/bot-variables.ts';
import { type Environment, readConfiguration } from '#platform/configuration.ts';
import { processVariables, storeVariables } from '#platform/shared-variables.ts';
import { connectChatAccount } from '../connect-chat-account.ts';
import type { StoreSettings } from '../settings.ts';
import type { Prompt } from './prompt.ts';
import { withStore } from './store.ts';

const plan = {
  ...storeVariables,
  TWITCH_CLIENT_ID: processVariables.TWITCH_CLIENT_ID,
  TWITCH_AUTH_URL: processVariables.TWITCH_AUTH_URL,
  TWITCH_BOT_LOGIN: botVariables.TWITCH_BOT_LOGIN,
};

interface Around {
  prompt: Prompt;
  print(line: string): void;
}

/** Offers to connect each chat account that is not connected yet. False: nobody answers any more. */
export async function connectChatAccounts(
  environment: Environment,
  { prompt, print }: Around,
): Promise<boolean> {
  const read = readConfiguration(plan, environment);
  if (!read.ok) return true;
  const { TWITCH_CLIENT_ID: clientId, TWITCH_AUTH_URL: authUrl, TWITCH_BOT_LOGIN: listed } = read.values;
  if (!clientId || !listed) return true;
  for (const login of listed.toLowerCase().split(',')) {
    if (await isConnected(read.values, login)) {
      print(`${login} is connected.`);
      continue;
    }
    const config = { clientId, authUrl, botLogins: [login] };
    for (let isLater = false; !isLater; ) {
      const answer = await prompt.ask(question(login, read.values));
      if (answer === null) return false;
      isLater = answer !== 'yes';
      if (isLater) print('You can do it later, with connect-chat-account.');
      else isLater = await connect(read.values, config, { prompt, print });
    }
  }
  return true;
}

const question = (login: string, { DATABASE_URL, KEEPSAKE_DATA_DIR }: StoreSettings): string => {
  const where = DATABASE_URL ? 'the database in DATABASE_URL' : KEEPSAKE_DATA_DIR;
  return `Connect ${login} with Twitch now? The permission is stored in ${where}, which is made if it is new. (yes, or Enter to do it later): `;
};

async function isConnected(given: StoreSettings, login: string): Promise<boolean> {
  const found = await withStore(given, { makes: false }, (db, vault) =>
    findChatAccount(db, { vault, login }),
  );
  return found.ok && found.result !== null && !found.result.broken;
}

/** Connects an account, and returns whether it succeeded; otherwise the reason was printed. */
async function connect(
  given: StoreSettings,
  config: { clientId: string; authUrl: URL; botLogins: readonly string[] },
  { prompt, print }: Around,
): Promise<boolean> {
  const connected = await withStore(given, { makes: true }, (db, vault) =>
    connectChatAccount({ db, vault, config, print, signal: prompt.left }),
  );
  if (!connected.ok) print(`The database cannot be used: ${connected.why}`);
  return connected.ok && connected.result.ok;
}
