import { accessSync, constants, statSync } from 'node:fs';
import { botVariables, findBotFaults } from '#platform/bot-variables.ts';
import {
  type ConfigurationFault,
  describeFaults,
  type Environment,
  readConfiguration,
} from '#platform/configuration.ts';
import { isLoopback } from '#platform/configuration-checks.ts';
import { readSteamBotsFile } from '#platform/steam-bots-file.ts';
import { trustedProxiesOf, trustsProxy } from '#platform/trusted-proxies.ts';
import { findWebFaults, webVariables } from '#platform/web-variables.ts';
import { startPlan } from '../settings.ts';
import { examineUnknown } from './examine-unknown.ts';
import type { Finding } from './finding.ts';

/** All faults for which the supervisor, web or bot would not start, each variable once. */
export function findSettingsFaults(environment: Environment): ConfigurationFault[] {
  const file = environment.STEAM_BOTS_FILE;
  const listed = file ? readSteamBotsFile(file) : null;
  return eachOnce([...faultsOfAll(environment), ...(listed?.ok === false ? listed.faults : [])]);
}

/** Those of the variables alone. */
function faultsOfAll(environment: Environment): ConfigurationFault[] {
  const web = readConfiguration(webVariables, environment);
  // Read with the environment that the supervisor gives it.
  const bot = readConfiguration(
    botVariables,
    environment.BOT_URL ? environment : { ...environment, HOST: undefined },
  );
  const start = readConfiguration(startPlan, environment);
  return [
    ...(start.ok ? [] : start.faults),
    ...(web.ok ? findWebFaults(web.values) : web.faults),
    ...(bot.ok ? findBotFaults(bot.values) : bot.faults),
  ];
}

const eachOnce = (faults: readonly ConfigurationFault[]): ConfigurationFault[] => [
  ...new Map(faults.map((fault) => [fault.variable, fault])).values(),
];

/**
 * Examines the settings of all processes, and the missing ones. A demo has Twitch, Steam and mail although no
 * setting names them.
 */
export function examineSettings(environment: Environment, isDemo: boolean): Finding[] {
  // `examineStripeKeys` names the other one.
  const faults = eachOnce(faultsOfAll(environment)).filter(
    ({ variable }) => variable !== 'STRIPE_WEBHOOK_SECRET',
  );
  const invalid: Finding[] =
    faults.length === 0
      ? []
      : [
          {
            name: 'settingsInvalid',
            what: describeFaults(faults),
            why: 'Keepsake does not start with them.',
            remedy: 'Correct each variable as its example shows.',
          },
        ];
  return [
    ...invalid,
    ...examinePublicUrl(environment),
    ...examineSender(environment),
    ...examineMailPassword(environment),
    ...examineUnknown(environment),
    ...examineOmitted(environment, isDemo),
  ];
}

/** Examines whether a public address has TLS, and a reverse proxy that is trusted. */
export function examinePublicUrl(environment: Environment): Finding[] {
  const read = readConfiguration({ PUBLIC_URL: webVariables.PUBLIC_URL }, environment);
  const publicUrl = read.ok ? read.values.PUBLIC_URL : undefined;
  if (publicUrl === undefined || isLoopback(publicUrl.hostname)) return [];
  if (publicUrl.protocol === 'http:')
    return [
      {
        name: 'withoutTls',
        what: `PUBLIC_URL is ${publicUrl.origin}, without TLS.`,
        why: 'Passwords and sessions cross the network in plain text, and Twitch refuses such redirect addresses.',
        remedy: 'Put a reverse proxy with a certificate in front, and set PUBLIC_URL to its https address.',
      },
    ];
  if (trustsProxy(trustedProxiesOf(environment.TRUST_PROXY || 'false') ?? { hops: 0 })) return [];
  return [
    {
      name: 'proxyNotTrusted',
      what: 'PUBLIC_URL is an https address, and TRUST_PROXY is not set.',
      why: 'All visitors share the address of the reverse proxy, and so each other’s limits.',
      remedy:
        'Set TRUST_PROXY=true if one reverse proxy adds the visitor’s address to X-Forwarded-For, or to the number of proxies.',
    },
  ];
}

const senderPlan = {
  PUBLIC_URL: webVariables.PUBLIC_URL,
  SMTP_URL: botVariables.SMTP_URL,
  MAIL_FROM: botVariables.MAIL_FROM,
};

/** Examines whether mail of a public instance comes from an address that exists there alone. */
export function examineSender(environment: Environment): Finding[] {
  const read = readConfiguration(senderPlan, environment);
  if (!read.ok) return [];
  const { PUBLIC_URL: publicUrl, SMTP_URL: server, MAIL_FROM: sender } = read.values;
  const isLocal = publicUrl === undefined || isLoopback(publicUrl.hostname);
  if (isLocal || !server || !/@localhost>?\s*$/.test(sender)) return [];
  return [
    {
      name: 'mailFromDefault',
      what: `Mail is sent as ${sender}${environment.MAIL_FROM ? '' : ', because MAIL_FROM is not set'}.`,
      why: 'Mail servers refuse a sender at localhost, or take its mail for spam.',
      remedy: 'Set MAIL_FROM to an address that your mail server may send from, at your own domain.',
    },
  ];
}

/** Examines whether a password can cross a network in plain text, because the server need not offer TLS. */
export function examineMailPassword(environment: Environment): Finding[] {
  const read = readConfiguration({ SMTP_URL: botVariables.SMTP_URL }, environment);
  if (!read.ok || !read.values.SMTP_URL) return [];
  const { protocol, password, hostname, searchParams } = new URL(read.values.SMTP_URL);
  const isSafe = protocol === 'smtps:' || searchParams.get('requireTLS') === 'true';
  if (isSafe || !password || isLoopback(hostname)) return [];
  return [
    {
      name: 'mailPasswordPlain',
      what: 'SMTP_URL has a password and begins with smtp:, which goes on without TLS if the server offers none.',
      why: 'Somebody between this machine and the mail server could read the password.',
      remedy: 'Use smtps: (port 465), or add ?requireTLS=true to SMTP_URL.',
    },
  ];
}

/** Examines whether a setting is omitted that an instance needs. */
function examineOmitted(environment: Environment, isDemo: boolean): Finding[] {
  const isSet = (name: string) => Boolean(environment[name] || environment[`${name}_FILE`]);
  const findings: Finding[] = [];
  if (!isDemo && !(isSet('TWITCH_CLIENT_ID') && isSet('TWITCH_CLIENT_SECRET')))
    findings.push({
      name: 'twitchKeysMissing',
      what: 'TWITCH_CLIENT_ID or TWITCH_CLIENT_SECRET is not set.',
      why: 'Nobody can connect Twitch, and nothing is counted.',
      remedy: 'Create an application at dev.twitch.tv and set both.',
    });
  if (!isDemo && !environment.TWITCH_BOT_LOGIN)
    findings.push({
      name: 'chatAccountUnset',
      what: 'TWITCH_BOT_LOGIN is not set.',
      why: 'Commands in chat are not answered, and promises are not announced.',
      remedy: 'Set it to the login of your chat account, and run `keepsake connect-chat-account`.',
    });
  if (!isDemo && !isSet('SMTP_URL'))
    findings.push({
      name: 'mailOff',
      what: 'SMTP_URL is not set.',
      why: 'Mail waits in the database: nobody can confirm an address or set a new password.',
      remedy: 'Set SMTP_URL and MAIL_FROM.',
    });
  if (!environment.OPERATOR_EMAIL)
    findings.push({
      name: 'operatorUnknown',
      what: 'OPERATOR_EMAIL is not set.',
      why: 'You get no message from the contact form, and no mail when items differ from the ledger.',
      remedy: 'Set OPERATOR_EMAIL.',
    });
  return isDemo ? findings : [...findings, ...examineBotsFile(environment.STEAM_BOTS_FILE)];
}

function examineBotsFile(file: string | undefined): Finding[] {
  if (!file)
    return [
      {
        name: 'steamBotsMissing',
        what: 'STEAM_BOTS_FILE is not set.',
        why: 'Items can be neither deposited nor delivered.',
        remedy: 'List your Steam bot accounts in a file and set STEAM_BOTS_FILE to its path.',
      },
    ];
  const obstacle = obstacleTo(file);
  if (obstacle === 'closed')
    return [
      {
        name: 'steamBotsClosed',
        what: `This user cannot read ${file}, which STEAM_BOTS_FILE names.`,
        why: 'What is in it cannot be examined; if the bot runs as this user, it does not start.',
        remedy: 'Run this as the user that runs Keepsake, or give that user the file.',
      },
    ];
  if (obstacle === 'missing')
    return [
      {
        name: 'steamBotsMissing',
        what: `STEAM_BOTS_FILE names ${file}, which does not exist.`,
        why: 'Items can be neither deposited nor delivered.',
        remedy: 'Correct the path, or create the file.',
      },
    ];
  const read = readSteamBotsFile(file);
  if (!read.ok)
    return [
      {
        name: 'steamBotsInvalid',
        what: describeFaults(read.faults),
        why: 'The bot does not start with it.',
        remedy: 'Correct the file as the example shows.',
      },
    ];
  const { mode, uid } = statSync(file);
  // Files that root gives to a group can be read by the user that runs Keepsake and changed by nobody else.
  const allowed = uid === 0 ? 0o040 : 0;
  if ((mode & 0o077 & ~allowed) === 0) return [];
  return [
    {
      name: 'steamBotsOpenToOthers',
      what: `Other users of this machine can read ${file}.`,
      why: 'Whoever has its secrets can take every item of your bots.',
      remedy: `chmod go-rwx ${file}`,
    },
  ];
}

/** Returns why a file cannot be read. */
function obstacleTo(file: string): 'missing' | 'closed' | null {
  try {
    accessSync(file, constants.R_OK);
    return null;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EACCES' ? 'closed' : 'missing';
  }
}
