import { existsSync, statSync } from 'node:fs';
import { describeFaults, type Environment, readConfiguration } from '#platform/configuration.ts';
import { isLoopback } from '#platform/configuration-checks.ts';
import { backupVariables, processVariables } from '#platform/shared-variables.ts';
import { readSteamBotsFile } from '#platform/steam-bots-file.ts';
import type { Finding } from './finding.ts';

/**
 * Examines the settings that web and bot share, and what they leave out. A demo has Twitch, Steam and mail although no
 * setting names them.
 */
export function examineSettings(environment: Environment, isDemo: boolean): Finding[] {
  const read = readConfiguration({ ...processVariables, ...backupVariables }, environment);
  if (!read.ok)
    return [
      {
        name: 'settingsInvalid',
        what: describeFaults(read.faults),
        why: 'Keepsake does not start with them.',
        remedy: 'Correct each variable as its example shows.',
      },
    ];
  const { PUBLIC_URL: publicUrl, TWITCH_CLIENT_ID: id, TWITCH_CLIENT_SECRET: secret } = read.values;
  const findings: Finding[] = [];
  const isPublic = publicUrl !== undefined && !isLoopback(publicUrl.hostname);
  if (isPublic && publicUrl.protocol === 'http:')
    findings.push({
      name: 'withoutTls',
      what: `PUBLIC_URL is ${publicUrl.origin}, without TLS.`,
      why: 'Passwords and sessions cross the network in plain text, and Twitch refuses such redirect addresses.',
      remedy: 'Put a reverse proxy with a certificate in front, and set PUBLIC_URL to its https address.',
    });
  if (isPublic && publicUrl.protocol === 'https:' && environment.TRUST_PROXY !== 'true')
    findings.push({
      name: 'proxyNotTrusted',
      what: 'PUBLIC_URL is an https address, and TRUST_PROXY is not true.',
      why: 'All visitors share the address of the reverse proxy, and so each other’s limits.',
      remedy: 'Set TRUST_PROXY=true if one reverse proxy adds the visitor’s address to X-Forwarded-For.',
    });
  if (!isDemo && (!id || !secret))
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
  if (!isDemo && !environment.SMTP_URL && !environment.SMTP_URL_FILE)
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
  if (!existsSync(file))
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
  if ((statSync(file).mode & 0o077) === 0) return [];
  return [
    {
      name: 'steamBotsOpenToOthers',
      what: `Other users of this machine can read ${file}.`,
      why: 'Whoever has its secrets can take every item of your bots.',
      remedy: `chmod go-rwx ${file}`,
    },
  ];
}
