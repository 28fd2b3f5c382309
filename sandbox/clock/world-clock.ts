const dayMs = 86_400_000;

/** One step may not pass a year, and the world may not run more than ten years ahead of the system. */
export const longestStepMs = 366 * dayMs;
export const longestOffsetMs = 3660 * dayMs;

export type AdvanceOutcome = { ok: true; nowMs: number; offsetMs: number } | { ok: false; message: string };

/** World time: system time plus an offset that only grows. */
export interface WorldClock {
  now(): number;
  offsetMs(): number;
  advance(ms: unknown): AdvanceOutcome;
}

export interface WorldClockOptions {
  offsetMs?: number;
  system?: () => number;
  onAdvance?: (offsetMs: number) => void;
}

/** Makes the clock of the world; a step is a whole number of milliseconds from 1 to a year. */
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
      if (ms > longestStepMs)
        return { ok: false, message: `ms must be at most ${longestStepMs} (366 days).` };
      if (offsetMs + ms > longestOffsetMs) {
        return { ok: false, message: 'The world is already years ahead; it cannot go further.' };
      }
      offsetMs += ms;
      options.onAdvance?.(offsetMs);
      return { ok: true, nowMs: now(), offsetMs };
    },
  };
}
