import { setTimeout as delay } from 'node:timers/promises';
import { traced } from '#platform/tracing.ts';

/** The rate limit for one remote service: a burst, then one request per gap. */
export interface Pace {
  gapMs: number;
  burst: number;
  /** Requests that would wait longer than this are refused. */
  maxWaitMs: number;
}

export interface Limiter {
  /** Starts the task when its turn comes. Null: the queue is too long, and the task was not started. */
  take<T>(task: () => Promise<T>): Promise<{ value: T } | null>;
}

/** A token bucket: holds `burst` turns, gains one per gap, and serves requests in order. */
export function createLimiter({ gapMs, burst, maxWaitMs }: Pace, now: () => number = Date.now): Limiter {
  let nextFreeMs = 0;
  return {
    async take(task) {
      const startMs = Math.max(now(), nextFreeMs - (burst - 1) * gapMs);
      const waitMs = startMs - now();
      if (waitMs > maxWaitMs) return null;
      nextFreeMs = Math.max(nextFreeMs, now()) + gapMs;
      if (waitMs > 0) await delay(waitMs);
      return { value: await task() };
    },
  };
}

export const remoteServices = ['community', 'webApi', 'inventory', 'confirmations', 'logins'] as const;
export type RemoteService = (typeof remoteServices)[number];
export type Limiters = Record<RemoteService, Limiter>;

/** Steam limits by IP address, so all bots of the process share one limiter per service; confirmations by account. */
export const steamPaces: Record<RemoteService, Pace> = {
  community: { gapMs: 300, burst: 3, maxWaitMs: 20_000 },
  webApi: { gapMs: 200, burst: 10, maxWaitMs: 20_000 },
  inventory: { gapMs: 4000, burst: 4, maxWaitMs: 30_000 },
  confirmations: { gapMs: 10_000, burst: 2, maxWaitMs: 60_000 },
  logins: { gapMs: 10_000, burst: 1, maxWaitMs: 600_000 },
};

/** One limiter per remote service; create them once per process. */
export const createLimiters = (paces = steamPaces): Limiters =>
  Object.fromEntries(
    remoteServices.map((service) => [service, inSpans(service, createLimiter(paces[service]))]),
  ) as Limiters;

/** Each call is a span; waiting for its turn is not part of it. */
const inSpans = (service: RemoteService, { take }: Limiter): Limiter => ({
  take: (task) => take(() => traced(`steam ${service}`, { service }, task)),
});
