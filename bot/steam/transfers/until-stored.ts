import { setTimeout as delay } from 'node:timers/promises';
import type { LeasedDeps } from '#bot/leases.ts';
import { isPassingFailure } from '#db/passing-failure.ts';
import { LeaseLost } from '#domain/bot/require-lease.ts';
import { SENDING_LEASE_MS } from '#domain/transfer/lease-transfers.ts';
import { steadyMs } from '#platform/steady-time.ts';

const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 5000;

/** After an outage the lease is in force again only with its next renewal, which also tells whether it is lost. */
const isPassing = (error: unknown): boolean => error instanceof LeaseLost || isPassingFailure(error);

/**
 * Repeats a write of something that happened on Steam until the database takes it. Returns null if the lease is lost, or
 * the process stops, before that. Throws what is no outage, and after the time of a sending also what is one. What is
 * not recorded then is searched for.
 */
export async function untilStored<T>(
  write: () => Promise<T>,
  { lease, log }: Pick<LeasedDeps, 'lease' | 'log'>,
  signal: AbortSignal,
): Promise<T | null> {
  const beganMs = steadyMs();
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
    try {
      return await write();
    } catch (err) {
      if (lease.isLost() || signal.aborted) return null;
      if (!isPassing(err) || steadyMs() - beganMs >= SENDING_LEASE_MS) throw err;
      log.error({ err, pauseMs }, 'what Steam answered could not be stored; it is written again');
    }
    // The end of the process ends the pause.
    await delay(pauseMs, undefined, { signal }).catch(() => {});
  }
}
