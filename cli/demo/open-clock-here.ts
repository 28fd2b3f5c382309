import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Clock, openClock, systemClock } from '#platform/clock.ts';
import type { Environment } from '#platform/configuration.ts';
import { bringsOwnWorld } from '../settings.ts';
import { readDemoNotes } from './demo-notes.ts';

/** Opens domain time for a command: that of a demo which runs on this data folder, as its panel has moved it. */
export async function openClockHere(environment: Environment, dataFolder: string): Promise<Clock> {
  if (environment.KEEPSAKE_CLOCK_URL) return openClock(environment.KEEPSAKE_CLOCK_URL);
  if (!bringsOwnWorld(environment) || readDemoNotes(dataFolder) === null) return systemClock;
  try {
    const file = join(dataFolder, 'sandbox', 'product.env.json');
    const { KEEPSAKE_CLOCK_URL: url } = JSON.parse(readFileSync(file, 'utf8')) as Record<string, string>;
    return await openClock(url);
  } catch {
    // It does not run now.
    return systemClock;
  }
}
