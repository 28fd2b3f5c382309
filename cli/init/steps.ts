import { botVariables } from '#platform/bot-variables.ts';
import { type ConfigurationPlan, describeFaults, readConfiguration } from '#platform/configuration.ts';
import { readSteamBotsFile } from '#platform/steam-bots-file.ts';
import { readRefreshToken } from '#platform/steam-refresh-token.ts';
import { webVariables } from '#platform/web-variables.ts';
import { examineSteamClock } from '../doctor/examine-clock.ts';
import { examineMailServer } from '../doctor/examine-mail-server.ts';
import { examineStripe } from '../doctor/examine-stripe.ts';
import { examineTwitchApplication } from '../doctor/examine-twitch.ts';
import type { Finding } from '../doctor/finding.ts';
import { remedyForBotFault } from '../doctor/remedy-for-bot-fault.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Settings that belong together: asked one after another, and tested as a whole. */
export interface Step {
  title: string;
  /** What to know before answering. */
  about: readonly string[];
  variables: ConfigurationPlan;
  /** Without these an instance cannot do what it is for. */
  needed: readonly string[];
  /** What is wrong with the answers, as doctor finds it. Says nothing about answers that are missing. */
  examine(environment: Environment): Promise<Finding[]>;
}

const pick = <Plan extends ConfigurationPlan, Name extends keyof Plan & string>(
  plan: Plan,
  ...names: Name[]
): Pick<Plan, Name> => Object.fromEntries(names.map((name) => [name, plan[name]])) as Pick<Plan, Name>;

const address = pick(webVariables, 'PUBLIC_URL', 'TRUST_PROXY');
const application = pick(webVariables, 'TWITCH_CLIENT_ID', 'TWITCH_CLIENT_SECRET');
const steam = pick(botVariables, 'STEAM_BOTS_FILE', 'STEAM_HTTP_PROXY');
const mail = pick(botVariables, 'SMTP_URL', 'MAIL_FROM');

const notBefore = async (): Promise<Finding[]> => [];

async function examineTwitch(environment: Environment): Promise<Finding[]> {
  const plan = { ...address, ...application, ...pick(webVariables, 'TWITCH_AUTH_URL', 'PORT') };
  const read = readConfiguration(plan, environment);
  if (!read.ok) return [];
  const { TWITCH_CLIENT_ID: clientId, TWITCH_CLIENT_SECRET: clientSecret } = read.values;
  if (!clientId || !clientSecret) return [];
  const publicUrl = read.values.PUBLIC_URL ?? new URL(`http://localhost:${read.values.PORT}`);
  return examineTwitchApplication(
    { authUrl: read.values.TWITCH_AUTH_URL, clientId, clientSecret },
    publicUrl,
  );
}

/** Tests everything about the bots but the log-on itself, which would end a session that the account has. */
async function examineSteam(environment: Environment): Promise<Finding[]> {
  const read = readConfiguration(steam, environment);
  if (!read.ok || !read.values.STEAM_BOTS_FILE) return [];
  const listed = readSteamBotsFile(read.values.STEAM_BOTS_FILE);
  if (!listed.ok)
    return [
      {
        name: 'steamBotsInvalid',
        what: describeFaults(listed.faults),
        why: 'The bot process does not start with them.',
        remedy: 'See docs/steam-bot-account.md.',
      },
    ];
  const tokens = listed.bots.flatMap((bot): Finding[] => {
    const token = 'refreshToken' in bot ? readRefreshToken(bot.refreshToken, Date.now()) : null;
    if (!token || token.ok) return [];
    return [
      {
        name: 'steamTokenRefused',
        what: `The bot ${bot.name} cannot log on with its refresh token: ${token.fault}.`,
        why: 'Items that it holds can be neither claimed nor returned.',
        remedy: remedyForBotFault(token.fault),
      },
    ];
  });
  return [...tokens, ...(await examineSteamClock(read.values.STEAM_HTTP_PROXY?.href))];
}

async function examineMail(environment: Environment): Promise<Finding[]> {
  const read = readConfiguration(mail, environment);
  return read.ok && read.values.SMTP_URL ? examineMailServer(read.values.SMTP_URL) : [];
}

/** Whether Stripe takes the key. What it lacks, `stripe:setup` makes. */
const keyFindings = new Set(['stripeKeyRefused', 'stripeUnavailable', 'stripeTestKey']);

/** All steps in their order. */
export const steps: readonly Step[] = [
  {
    title: 'Public address',
    about: ['The address that people open, with https behind a reverse proxy.'],
    variables: address,
    needed: ['PUBLIC_URL'],
    examine: notBefore,
  },
  {
    title: 'Twitch application',
    about: [
      'Register an application at dev.twitch.tv, confidential, with <PUBLIC_URL>/auth/twitch/callback as the',
      'OAuth redirect URL, for this instance alone.',
    ],
    variables: application,
    needed: ['TWITCH_CLIENT_ID', 'TWITCH_CLIENT_SECRET'],
    examine: examineTwitch,
  },
  {
    title: 'Chat account',
    about: ['The Twitch account that writes in chats. You connect it later, with connect-chat-account.'],
    variables: pick(botVariables, 'TWITCH_BOT_LOGIN'),
    needed: [],
    examine: notBefore,
  },
  {
    title: 'Steam bots',
    about: ['See docs/steam-bot-account.md for how to get one.'],
    variables: steam,
    needed: ['STEAM_BOTS_FILE'],
    examine: examineSteam,
  },
  {
    title: 'Mail',
    about: ['Without a mail server nobody can confirm an address or set a new password.'],
    variables: mail,
    needed: ['SMTP_URL'],
    examine: examineMail,
  },
  {
    title: 'Operator',
    about: ['Who gets mail about what needs you, and which account sees /operator.'],
    variables: pick(webVariables, 'OPERATOR_EMAIL', 'OPERATOR_ACCOUNT'),
    needed: [],
    examine: notBefore,
  },
  {
    title: 'Stripe',
    about: [
      'Only to sell plans: without a key the instance is free. The second value comes from stripe:setup.',
    ],
    variables: pick(webVariables, 'STRIPE_SECRET_KEY', 'STRIPE_WEBHOOK_SECRET'),
    needed: [],
    examine: async (environment) =>
      (await examineStripe(environment)).filter(({ name }) => keyFindings.has(name)),
  },
];
