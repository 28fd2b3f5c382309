const dayMs = 86_400_000;

/** A single step is at most a year, and the world at most ten years ahead of the system. */
export const maxStepMs = 366 * dayMs;
export const maxOffsetMs = 3660 * dayMs;

export type AdvanceOutcome = { ok: true; nowMs: number; offsetMs: number } | { ok: false; message: string };

/** World time: system time plus an offset, which only grows unless the host's clock is said to leap back. */
export interface WorldClock {
  now(): number;
  offsetMs(): number;
  advance(ms: unknown): AdvanceOutcome;
  /** Leaps back by whole milliseconds, as a host's clock does that was ahead, but not behind system time. */
  leapBack(ms: number): AdvanceOutcome;
}

export interface WorldClockOptions {
  offsetMs?: number;
  system?: () => number;
  onAdvance?: (offsetMs: number) => void;
}

/** Creates the world's clock. A step is a whole number of milliseconds, from 1 to a year. */
export function createWorldClock(options: WorldClockOptions = {}): WorldClock {
  const system = options.system ?? Date.now;
  let offsetMs = options.offsetMs ?? 0;
  const now = () => system() + offsetMs;
  return {
    now,
    offsetMs: () => offsetMs,
    advance(ms) {
      if (typeof ms !== 'number' || !Number.isSafeInteger(ms)) {
        return { ok: false, message: 'ms must be a whole number of milliseconds.' };
      }
      if (ms < 1) return { ok: false, message: 'ms must be at least 1: the world never goes backwards.' };
      if (ms > maxStepMs) return { ok: false, message: `ms must be at most ${maxStepMs} (366 days).` };
      if (offsetMs + ms > maxOffsetMs) {
        return { ok: false, message: 'The world is already years ahead; it cannot go further.' };
      }
      offsetMs += ms;
      options.onAdvance?.(offsetMs);
      return { ok: true, nowMs: now(), offsetMs };
    },
    leapBack(ms) {
      if (ms > offsetMs)
        return { ok: false, message: 'The world cannot go behind the time of this machine.' };
      offsetMs -= ms;
      options.onAdvance?.(offsetMs);
      return { ok: true, nowMs: now(), offsetMs };
    },
  };
}
