import { existsSync } from 'node:fs';
import { botVariables } from '#platform/bot-variables.ts';
import { type ConfigurationPlan, describeFaults, readConfiguration } from '#platform/configuration.ts';
import { storeVariables } from '#platform/shared-variables.ts';
import { readSteamBotsFile } from '#platform/steam-bots-file.ts';
import { webVariables } from '#platform/web-variables.ts';
import { findDemoInStore } from '../demo/claim-store.ts';
import { examineSteamClock } from '../doctor/examine-clock.ts';
import { examineFolder } from '../doctor/examine-folder.ts';
import { examineMailServer } from '../doctor/examine-mail-server.ts';
import { examinePostgresServer } from '../doctor/examine-postgres.ts';
import { examinePublicUrl, examineSender } from '../doctor/examine-settings.ts';
import { examineStripe } from '../doctor/examine-stripe.ts';
import { examineTwitchApplication } from '../doctor/examine-twitch.ts';
import type { Finding } from '../doctor/finding.ts';
import { connectChatAccounts } from './connect-chat-accounts.ts';
import type { Prompt } from './prompt.ts';
import { sendTestMail } from './send-test-mail.ts';
import { findRunningBots } from './store.ts';
import { tryBots, type Visit } from './try-bots.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Settings that belong together: asked one after another, and tested as a whole. */
export interface Step {
  title: string;
  /** Facts to know before answering. */
  about: readonly string[];
  variables: ConfigurationPlan;
  /** The variables without which an instance cannot work. */
  needed: readonly string[];
  /** Returns the faults in the answers, as doctor finds them, ignoring missing answers. */
  examine(environment: Environment, visit: Visit): Promise<Finding[]>;
  /**
   * Does something with correct answers right away, if a person is present. Returns false if nobody answers
   * any more.
   */
  follow?(environment: Environment, around: { prompt: Prompt; print(line: string): void }): Promise<boolean>;
}

const pick = <Plan extends ConfigurationPlan, Name extends keyof Plan & string>(
  plan: Plan,
  ...names: Name[]
): Pick<Plan, Name> => Object.fromEntries(names.map((name) => [name, plan[name]])) as Pick<Plan, Name>;

const address = pick(webVariables, 'PUBLIC_URL', 'TRUST_PROXY');
const data = pick(storeVariables, 'KEEPSAKE_DATA_DIR', 'DATABASE_URL');
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

/** Tests the list, the clock, and each bot by logging it on for a moment. */
async function examineSteam(environment: Environment, visit: Visit): Promise<Finding[]> {
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
  const proxy = read.values.STEAM_HTTP_PROXY?.href;
  const clock = await examineSteamClock(proxy);
  if (clock.some(({ name }) => name === 'steamUnreachable')) return clock;
  const running = await findRunningBots(environment);
  for (const { name } of listed.bots)
    if (running.includes(name))
      visit.print(
        `A running Keepsake uses ${name}. It is tested beside that one, which logs on again by itself if Steam ends its session all the same.`,
      );
  return [...clock, ...(await tryBots(listed.bots, proxy ?? null, visit))];
}

/** Findings that would keep a start from using the answers; a start creates or corrects the rest itself. */
const dataFindings = new Set([
  'databaseClockWrong',
  'databaseUnreachable',
  'dataFolderClosed',
  'dataFolderReadOnly',
  'networkFileSystem',
  'schemaNewer',
  'storeIsDemo',
]);

async function examineData(environment: Environment): Promise<Finding[]> {
  const read = readConfiguration(data, environment);
  if (!read.ok) return [];
  const { KEEPSAKE_DATA_DIR: folder, DATABASE_URL: url } = read.values;
  // A database that does not answer is a finding of its own.
  const demo = await findDemoInStore({ ...read.values, ENCRYPTION_KEY: undefined }).catch(() => null);
  const findings = [
    ...(demo ? [demo] : []),
    ...(existsSync(folder) ? examineFolder(folder, { hasDatabase: !url }) : []),
    ...(url ? await examinePostgresServer(url) : []),
  ];
  return findings.filter(({ name }) => dataFindings.has(name));
}

async function examineMail(environment: Environment): Promise<Finding[]> {
  const read = readConfiguration(mail, environment);
  if (!read.ok || !read.values.SMTP_URL) return [];
  return [...examineSender(environment), ...(await examineMailServer(read.values.SMTP_URL))];
}

/**
 * Findings about the key itself and web's start with it. `stripe:setup` creates everything that the account
 * lacks.
 */
const keyFindings = new Set([
  'stripeKeyRefused',
  'stripeUnavailable',
  'stripeTestKey',
  'stripeWebhookSecretMissing',
]);

/** The steps after this one can use the database. */
export const dataStep: Step = {
  title: 'Data',
  about: ['Where everything is stored. Without a database of your own, it is a file in the data folder.'],
  variables: data,
  needed: [],
  examine: examineData,
};

/** All steps in their order. */
export const steps: readonly Step[] = [
  {
    title: 'Public address',
    about: ['The address that people open, with https behind a reverse proxy.'],
    variables: address,
    needed: ['PUBLIC_URL'],
    examine: async (environment) => examinePublicUrl(environment),
  },
  dataStep,
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
    about: ['The Twitch account that writes in chats. You can connect it now, or later.'],
    variables: pick(botVariables, 'TWITCH_BOT_LOGIN'),
    needed: [],
    examine: notBefore,
    follow: connectChatAccounts,
  },
  {
    title: 'Steam bots',
    about: [
      'See docs/steam-bot-account.md for how to get one. Each is logged on for a moment; nothing is sent or confirmed.',
    ],
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
    follow: sendTestMail,
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
