import { z } from 'zod';
import {
  type ConfigurationFault,
  type ConfigurationPlan,
  type ConfigurationValues,
  faultOf,
} from './configuration.ts';
import { isLoopback, mailAddress, origin, webAddress } from './configuration-checks.ts';
import {
  backupVariables,
  findPublicUrlFault,
  portVariables,
  processVariables,
  watchVariables,
} from './shared-variables.ts';
import { webVariables } from './web-variables.ts';

const loginList = z
  .string()
  .regex(
    /^[a-z0-9_]{1,25}(,[a-z0-9_]{1,25})*$/,
    'must be a login of lower-case letters, digits and underscores, or several with commas between',
  );

const roleNames = ['steam', 'twitch', 'housekeeping'] as const;
export type BotRole = (typeof roleNames)[number];
const roleList = z
  .string()
  .regex(
    new RegExp(`^(?:${roleNames.join('|')})(?:,(?:${roleNames.join('|')}))*$`),
    'must be steam, twitch or housekeeping, or several of them with commas between',
  );

/** The variables of the bot. */
export const botVariables = {
  ...processVariables,
  BOT_PORT: portVariables.BOT_PORT,
  ...watchVariables,
  BOT_URL: webVariables.BOT_URL,
  HOST: {
    about: 'The address the bot listens on. The supervisor sets loopback unless `BOT_URL` is set.',
    check: z.string().default('127.0.0.1'),
    example: '127.0.0.1',
  },
  TWITCH_BOT_LOGIN: {
    about:
      'The chat account. It can be in 100 chats, not counting those it moderates; for more, streamers let it in, or give several.',
    check: loginList.optional(),
    example: 'keepsake_bot',
  },
  IGNORED_CHATTERS: {
    about: 'Twitch logins that earn watch time on no channel, besides known bots.',
    check: loginList.optional(),
    example: 'some_bot,another_bot',
  },
  TWITCH_IRC_URL: {
    about: "The address of Twitch chat. Unset: Twitch's own.",
    check: z.url({ protocol: /^wss?$/, message: 'must be a ws or wss address' }).optional(),
    example: 'wss://irc-ws.chat.twitch.tv',
  },
  BACKUP_DIR: backupVariables.BACKUP_DIR,
  BOT_ROLES: {
    about:
      'What this process takes part in: `steam`, `twitch`, and `housekeeping` with billing and mail. Each needs a process that does it.',
    check: roleList.default(roleNames.join(',')),
    example: 'twitch',
  },
  STEAM_BOTS_FILE: {
    about:
      'A JSON list of `{ name, refreshToken or accountName + password + sharedSecret, identitySecret, proxy? }`.',
    check: z.string().optional(),
    example: '/etc/keepsake/steam-bots.json',
  },
  STEAM_HTTP_PROXY: {
    about: 'A proxy for all requests to Steam.',
    check: webAddress.optional(),
    example: 'http://127.0.0.1:3012',
  },
  SMTP_URL: {
    about: 'The mail server. Unset: no mail is sent.',
    check: mailAddress.optional(),
    example: 'smtps://user:password@mail.example',
    secret: true,
  },
  PUSH_SERVICE_URL: {
    about:
      'A push service of your own network that browsers may subscribe at, besides those on the internet. Unset: none; no inner address is called.',
    check: origin.optional(),
    example: 'http://127.0.0.1:3017',
  },
  MAIL_FROM: {
    about: 'The sender of mail.',
    check: z.string().default('Keepsake <no-reply@localhost>'),
    example: 'Keepsake <no-reply@keepsake.example>',
  },
} as const satisfies ConfigurationPlan;

/** Finds faults in the combination of values that are each valid. */
export const findBotFaults = (given: ConfigurationValues<typeof botVariables>): ConfigurationFault[] => [
  ...(isLoopback(given.HOST) || given.BOT_SECRET !== undefined
    ? []
    : [faultOf(botVariables, 'BOT_SECRET', 'is not set, but HOST lets other machines in')]),
  ...findPublicUrlFault(given),
];
