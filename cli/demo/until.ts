import { setTimeout as delay } from 'node:timers/promises';
import { steadyMs } from '#platform/steady-time.ts';

const WAIT_MS = 90_000;

/** Looks again until something is found. */
export async function until<T>(look: () => Promise<T | null>, what: string): Promise<T> {
  const deadline = steadyMs() + WAIT_MS;
  while (steadyMs() < deadline) {
    const found = await look();
    if (found !== null) return found;
    await delay(250);
  }
  throw new Error(`${what} did not appear within ${WAIT_MS / 1000} seconds`);
}
