import { setTimeout as delay } from 'node:timers/promises';

/** How fast one remote service may be asked: so many at once, then one per gap. */
export interface Pace {
  gapMs: number;
  burst: number;
  /** Who would have to wait longer than this is turned away. */
  longestWaitMs: number;
}

export interface Limiter {
  /** Waits for its turn, then starts the task; null when the queue is too long, and the task was not started. */
  take<T>(task: () => Promise<T>): Promise<{ value: T } | null>;
}

/** A bucket of `burst` turns that fills by one per gap; turns are given out in the order of asking. */
export function createLimiter({ gapMs, burst, longestWaitMs }: Pace, now: () => number = Date.now): Limiter {
  let nextFreeMs = 0;
  return {
    async take(task) {
      const startMs = Math.max(now(), nextFreeMs - (burst - 1) * gapMs);
      const waitMs = startMs - now();
      if (waitMs > longestWaitMs) return null;
      nextFreeMs = Math.max(nextFreeMs, now()) + gapMs;
      if (waitMs > 0) await delay(waitMs);
      return { value: await task() };
    },
  };
}

export const remoteServices = ['community', 'webApi', 'inventory', 'confirmations', 'logins'] as const;
export type RemoteService = (typeof remoteServices)[number];
export type Limiters = Record<RemoteService, Limiter>;

/** Steam counts by address, so one limiter per service is shared by all bots of the process. */
export const steamPaces: Record<RemoteService, Pace> = {
  community: { gapMs: 300, burst: 3, longestWaitMs: 20_000 },
  webApi: { gapMs: 200, burst: 10, longestWaitMs: 20_000 },
  inventory: { gapMs: 4000, burst: 4, longestWaitMs: 30_000 },
  confirmations: { gapMs: 10_000, burst: 2, longestWaitMs: 60_000 },
  logins: { gapMs: 10_000, burst: 1, longestWaitMs: 600_000 },
};

/** One limiter for each remote service; a process makes them once. */
export const createLimiters = (paces = steamPaces): Limiters =>
  Object.fromEntries(remoteServices.map((service) => [service, createLimiter(paces[service])])) as Limiters;
