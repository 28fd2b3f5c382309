import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { botVariables } from '#platform/bot-variables.ts';
import type { ConfigurationPlan, Environment } from '#platform/configuration.ts';
import { webVariables } from '#platform/web-variables.ts';
import { startPlan } from '../settings.ts';

/** The settings of a backup, one `NAME=value` a line, and Steam's accounts. */
export const SETTINGS_FILE = 'settings.env';
export const BOTS_FILE = 'steam-bots.json';

const plans: ConfigurationPlan = { ...webVariables, ...botVariables, ...startPlan };

/**
 * Writes every setting of web, bot and supervisor that is set, and the list of Steam accounts. A secret in a
 * file is written with its content, because the file is not in the data folder. If a file that a setting
 * names is missing, no process would start, so no backup is made either.
 */
export function writeSettings(environment: Environment, folder: string): void {
  const lines: string[] = [];
  for (const [name, { secret }] of Object.entries(plans)) {
    const path = secret && environment[`${name}_FILE`];
    const value = path ? readNamed(`${name}_FILE`, path).toString().trim() : environment[name];
    if (value) lines.push(`${name}=${value}`);
  }
  writeFileSync(join(folder, SETTINGS_FILE), `${lines.sort().join('\n')}\n`, { mode: 0o600 });
  const botsFile = environment.STEAM_BOTS_FILE;
  if (botsFile)
    writeFileSync(join(folder, BOTS_FILE), readNamed('STEAM_BOTS_FILE', botsFile), { mode: 0o600 });
}

function readNamed(variable: string, path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    throw new Error(`${variable} names a file that cannot be read (${path})`, { cause: error });
  }
}
