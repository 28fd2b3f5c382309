import type { BotDeps } from '#bot/deps.ts';
import { second } from '#domain/kernel/time.ts';

/** Notifies workers that the store or the clock may have changed, so that they need not poll. */
export interface Changes {
  /** Calls back whenever any process commits a change or the clock leaps. Returns a function that unsubscribes. */
  listen(changed: () => void): () => void;
  stop(): void;
}

/** A change is noticed within this time; `restMs` is that while nothing has changed for `restAfterMs`. System time. */
const paces = { pollMs: second / 2, restMs: second, restAfterMs: 3 * second };
/** The clock has leapt when it gains or loses more than this against system time between two polls. */
const LEAP_MS = second;

/** Polls the store's revision and the clock once for all workers of this process. */
export function watchChanges(
  { db, clock, log }: Pick<BotDeps, 'db' | 'clock' | 'log'>,
  { pollMs, restMs, restAfterMs } = paces,
): Changes {
  const listeners = new Set<() => void>();
  let revision: string | null = null;
  let changedAtMs = performance.now();
  let aheadMs = aheadOf(clock);
  let stopped = false;

  const check = async (): Promise<boolean> => {
    const ahead = aheadOf(clock);
    const leapt = Math.abs(ahead - aheadMs) > LEAP_MS;
    aheadMs = ahead;
    const current = await db.revision();
    const changed = current !== revision;
    revision = current;
    return leapt || changed;
  };

  const scheduleCheck = (): NodeJS.Timeout => {
    const waitMs = performance.now() - changedAtMs < restAfterMs ? pollMs : restMs;
    const next = setTimeout(async () => {
      try {
        if (await check()) {
          changedAtMs = performance.now();
          for (const changed of listeners) changed();
        }
      } catch (error) {
        // Workers also run at intervals, and a worker whose round fails logs the details.
        log.debug({ err: error }, 'the store revision could not be read; retrying');
      }
      if (!stopped) timer = scheduleCheck();
    }, waitMs);
    return next.unref();
  };
  let timer = scheduleCheck();

  return {
    listen(changed) {
      listeners.add(changed);
      return () => listeners.delete(changed);
    },
    stop() {
      stopped = true;
      clearTimeout(timer);
    },
  };
}

/** Returns how far domain time is ahead of a clock that never leaps. */
const aheadOf = (clock: BotDeps['clock']): number => clock.now() - performance.now();
