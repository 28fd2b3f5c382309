import { setTimeout as delay } from 'node:timers/promises';
import type { BotDeps } from '#bot/deps.ts';

/** Waits until all of these have ended, whatever becomes of the others, and logs what failed: nobody can end it better. */
export async function endAll(log: BotDeps['log'], ends: readonly Promise<unknown>[]): Promise<void> {
  for (const end of await Promise.allSettled(ends))
    if (end.status === 'rejected') log.warn({ err: end.reason }, 'a part ended with an error');
}

/** Waits for the end of some work, and no longer than this. Returns whether it has ended. */
export async function endsWithin(ms: number, work: Promise<unknown>): Promise<boolean> {
  const timer = new AbortController();
  const late = delay(ms, false, { signal: timer.signal }).catch(() => false);
  try {
    return await Promise.race([work.then(() => true), late]);
  } finally {
    timer.abort();
  }
}
