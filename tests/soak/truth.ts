import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { WorldState as SteamTruth } from '#sandbox/steam/state.ts';
import type { WorldState as TwitchTruth } from '#sandbox/twitch/world-state.ts';

/** The platforms' state, read from the sandbox's files. */
export interface Truth {
  steam: SteamTruth;
  twitch: TwitchTruth;
}

const read = <T>(folder: string, file: string) => JSON.parse(readFileSync(join(folder, file), 'utf8')) as T;

export const readTwitch = (sandboxFolder: string) => read<TwitchTruth>(sandboxFolder, 'twitch.json');

export const readTruth = (sandboxFolder: string): Truth => ({
  steam: read(sandboxFolder, 'steam.json'),
  twitch: readTwitch(sandboxFolder),
});
