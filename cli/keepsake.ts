// npm run keepsake -- <command>: what an operator does by hand. One file per command.
import { join } from 'node:path';
import { z } from 'zod';
import { openDatabase } from '#db/database.ts';
import { describeFaults, keptSecret, readConfiguration } from '#domain/configuration.ts';
import { hexKey, postgresAddress, webAddress } from '#domain/configuration-checks.ts';
import { createVault } from '#domain/vault.ts';
import { connectChatAccount } from './connect-chat-account.ts';

const store = {
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
};
const chat = {
  schema: store.schema.extend({
    TWITCH_CLIENT_ID: z.string(),
    TWITCH_BOT_LOGIN: z.string(),
    TWITCH_AUTH_URL: webAddress.default(new URL('https://id.twitch.tv/oauth2')),
  }),
  examples: {
    ...store.examples,
    TWITCH_CLIENT_ID: 'the client id of your application at dev.twitch.tv',
    TWITCH_BOT_LOGIN: 'keepsake_bot',
    TWITCH_AUTH_URL: 'https://id.twitch.tv/oauth2',
  },
  secrets: ['DATABASE_URL', 'ENCRYPTION_KEY'] as const,
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
  const key = given.ENCRYPTION_KEY ?? keptSecret(given.KEEPSAKE_DATA_DIR, 'encryption-key');
  const file = join(given.KEEPSAKE_DATA_DIR, 'keepsake.db');
  const database = await openDatabase({ databaseUrl: given.DATABASE_URL, file });
  try {
    const connected = await connectChatAccount({
      database,
      vault: createVault(Buffer.from(key, 'hex').toString('base64')),
      config: {
        clientId: given.TWITCH_CLIENT_ID,
        authUrl: given.TWITCH_AUTH_URL,
        botLogin: given.TWITCH_BOT_LOGIN,
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
