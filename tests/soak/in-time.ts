import { setTimeout as delay } from 'node:timers/promises';

/** Waits for the work, but not longer than this: then it rejects, naming what was under way, and the work is abandoned. */
export async function inTime<T>(limitMs: number, underWay: () => string, work: Promise<T>): Promise<T> {
  const done = new AbortController();
  const late = delay(limitMs, undefined, { signal: done.signal }).then(() => {
    throw new Error(`not over after ${Math.round(limitMs / 1000)} s: ${underWay()}`);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    done.abort();
    late.catch(() => {});
  }
}
