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

/** An end that comes once, and for which many wait who wait for something else as well. */
export class End {
  readonly #waiting = new Set<() => void>();
  #hasCome = false;

  come(): void {
    this.#hasCome = true;
    for (const wake of this.#waiting) wake();
  }

  /** Waits for some work, but not beyond this end. */
  async limit(work: Promise<unknown>): Promise<void> {
    if (this.#hasCome) return;
    let wake = () => {};
    const come = new Promise<void>((resolve) => {
      wake = resolve;
    });
    this.#waiting.add(wake);
    try {
      await Promise.race([work, come]);
    } finally {
      this.#waiting.delete(wake);
    }
  }
}
