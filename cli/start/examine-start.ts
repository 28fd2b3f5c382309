import { wordsOf } from '#db/engine/prove-key.ts';
import { describeFaults, type Environment } from '#platform/configuration.ts';
import { localUrl } from '#platform/listen-address.ts';
import { examineFolder, findFolderObstacles } from '../doctor/examine-folder.ts';
import { examineSettings, findSettingsFaults } from '../doctor/examine-settings.ts';
import { examineUnknown } from '../doctor/examine-unknown.ts';
import type { Finding } from '../doctor/finding.ts';
import type { readStartSettings } from '../settings.ts';
import { findAddressFaults } from './find-address-faults.ts';

export type StartSettings = Extract<ReturnType<typeof readStartSettings>, { ok: true }>['values'];

/** One line for each fault of the settings, of all processes, and with them for each name that may be the cause. */
export function listSettingsFaults(environment: Environment): string[] {
  const faults = findSettingsFaults(environment);
  if (faults.length === 0) return [];
  return [...describeFaults(faults).split('\n'), ...examineUnknown(environment).map(wordsOf)];
}

/** One line for each reason why nothing can be stored in the data folder. */
export const listFolderObstacles = (given: StartSettings): string[] =>
  findFolderObstacles(given.KEEPSAKE_DATA_DIR, { hasDatabase: !given.DATABASE_URL }).map(wordsOf);

/** Findings of `examineFolder` that a start mends by itself. */
const mended = new Set(['dataFolderOpenToOthers', 'databaseOpenToOthers', 'secretsOpenToOthers']);

/** Findings with which a start goes on, of settings and data folder; the demo has no settings. */
export function listWarnings(given: StartSettings, environment: Environment, isDemo: boolean): Finding[] {
  const folder = examineFolder(given.KEEPSAKE_DATA_DIR, { hasDatabase: !given.DATABASE_URL });
  return [
    ...examineSettings(environment, isDemo).filter(({ name }) => !isDemo || name !== 'operatorUnknown'),
    ...folder.filter(({ name }) => !mended.has(name)),
  ];
}

/** The address at which web listens, as a text for its URL and for `listen`. */
export interface Addresses {
  web: { host: string | undefined; port: number };
  bot: { host: string | undefined; port: number };
}

/** One line for each of these addresses at which this machine cannot listen. */
export async function listAddressFaults({ web, bot }: Addresses): Promise<string[]> {
  if (web.port === bot.port && web.port !== 0)
    return [
      `PORT and BOT_PORT are both ${web.port}. Web and bot need one each. Set BOT_PORT to another port.`,
    ];
  return findAddressFaults([
    { ...web, hostName: 'HOST', portName: 'PORT' },
    { ...bot, hostName: 'HOST', portName: 'BOT_PORT' },
  ]);
}

export const urlsOf = ({ web, bot }: Addresses) => ({
  web: localUrl(web.host, web.port),
  bot: localUrl(bot.host, bot.port),
});
