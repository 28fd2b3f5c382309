import { mkdirSync, rmdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';

/** Runs, one at a time, work on a shared thing of the world by the tests of all workers. */
async function takingTurns<T>(thing: string, deed: () => Promise<T>): Promise<T> {
  const taken = join(process.env.E2E_DATA ?? '', `${thing}-is-taken`);
  // Only one process can create a folder.
  await expect(() => mkdirSync(taken)).toPass({ intervals: [250] });
  try {
    return await deed();
  } finally {
    rmdirSync(taken);
  }
}

/** The account stores the language it was last read in. */
export const asDemoStreamer = <T>(deed: () => Promise<T>): Promise<T> => takingTurns('demo-streamer', deed);

/** For whatever moves the world's clock. */
export const withClock = <T>(deed: () => Promise<T>): Promise<T> => takingTurns('clock', deed);

/** A test during which the clock is not moved: a proof of identity is fresh for ten minutes of it. */
export const testOfProof = test.extend<{ clock: undefined }>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the pattern to find the fixtures that are used.
  clock: [({}, use) => withClock(() => use(undefined)), { auto: true }],
});
