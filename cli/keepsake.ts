// npm run keepsake -- <command>: what an operator does by hand. One file per command.
import { z } from 'zod';
import { openDatabase } from '#db/database.ts';
import { describeFaults, readConfiguration } from '#domain/configuration.ts';
import { webAddress } from '#domain/configuration-checks.ts';
import { createVault } from '#domain/vault.ts';
import { connectChatAccount } from './connect-chat-account.ts';
import { encryptionKeyOf, storeOf, storePlan } from './settings.ts';

const chat = {
  schema: storePlan.schema.extend({
    TWITCH_CLIENT_ID: z.string(),
    TWITCH_BOT_LOGIN: z.string(),
    TWITCH_AUTH_URL: webAddress.default(new URL('https://id.twitch.tv/oauth2')),
  }),
  examples: {
    ...storePlan.examples,
    TWITCH_CLIENT_ID: 'the client id of your application at dev.twitch.tv',
    TWITCH_BOT_LOGIN: 'keepsake_bot',
    TWITCH_AUTH_URL: 'https://id.twitch.tv/oauth2',
  },
  secrets: storePlan.secrets,
};

interface Command {
  summary: string;
  /** Whether it did what it was asked. */
  run(): Promise<boolean>;
}

const commands: Readonly<Record<string, Command>> = {
  'connect-chat-account': { summary: 'connects the account that answers in chats', run: runConnect },
};

async function runConnect(): Promise<boolean> {
  const outcome = readConfiguration(chat, process.env);
  if (!outcome.ok) {
    console.error(describeFaults(outcome.faults));
    return false;
  }
  const given = outcome.values;
  const database = await openDatabase(storeOf(given));
  try {
    const connected = await connectChatAccount({
      database,
      vault: createVault(Buffer.from(encryptionKeyOf(given), 'hex').toString('base64')),
      config: {
        clientId: given.TWITCH_CLIENT_ID,
        authUrl: given.TWITCH_AUTH_URL,
        botLogins: given.TWITCH_BOT_LOGIN.split(','),
      },
      print: (line) => console.log(line),
    });
    return connected.ok;
  } finally {
    await database.close();
  }
}

function usage(): string {
  const list = Object.entries(commands).map(([name, { summary }]) => `  ${name}  ${summary}`);
  return ['Usage: npm run keepsake -- <command>', '', ...list].join('\n');
}

const name = process.argv[2] ?? '';
const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
if (command) {
  process.exitCode = (await command.run()) ? 0 : 1;
} else {
  console.error(name ? `There is no command ${name}.\n${usage()}` : usage());
  process.exitCode = 2;
}
