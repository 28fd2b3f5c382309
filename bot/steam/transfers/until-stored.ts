import { setTimeout as delay } from 'node:timers/promises';
import type { LeasedDeps } from '#bot/leases.ts';

const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 5000;

/**
 * Repeats a write of something that happened on Steam until the database takes it. Returns null if the lease is lost, or
 * the process stops, before that: what is not recorded then is searched for.
 */
export async function untilStored<T>(
  write: () => Promise<T>,
  { lease, log }: Pick<LeasedDeps, 'lease' | 'log'>,
  signal: AbortSignal,
): Promise<T | null> {
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
    try {
      return await write();
    } catch (err) {
      if (lease.isLost() || signal.aborted) return null;
      log.error({ err, pauseMs }, 'what Steam answered could not be stored; it is written again');
    }
    // The end of the process ends the pause.
    await delay(pauseMs, undefined, { signal }).catch(() => {});
  }
}
