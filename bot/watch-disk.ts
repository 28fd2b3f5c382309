import type { BotDeps, BotPart, PartReport } from '#bot/deps.ts';
import { freeBytesOf, inMib, MIN_FREE_BYTES } from '#platform/free-space.ts';

/** Reports whether the disk of the data folder has room for what is to be stored next. */
export function watchDisk(
  { config }: { config: Pick<BotDeps['config'], 'dataFolder'> },
  readFreeBytes = freeBytesOf,
): BotPart {
  const { dataFolder } = config;
  const look = (): PartReport => {
    const freeBytes = readFreeBytes(dataFolder);
    return freeBytes < MIN_FREE_BYTES
      ? { state: 'faulty', detail: `the disk is full: ${inMib(freeBytes)} left in ${dataFolder}` }
      : { state: 'ready' };
  };
  return { report: () => ({ disk: look() }), nudge() {}, stop: async () => {} };
}
