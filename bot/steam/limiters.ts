import { FairQueue } from '#bot/steam/fair-queue.ts';
import { minute } from '#domain/kernel/time.ts';
import { steadyMs } from '#platform/steady-time.ts';
import { traced } from '#platform/tracing.ts';

/** The rate limit for one remote service: a burst, then one request per gap. */
export interface Pace {
  gapMs: number;
  burst: number;
  /** Requests that would wait longer than this are refused. */
  maxWaitMs: number;
  /** Number of the burst's turns that visitors leave to custody. */
  reserve?: number;
}

/** An account for which a visitor waits. All other requests are custody's own. */
export interface Visitor {
  account: string;
  maxWaitMs: number;
}

export interface Limiter {
  /**
   * Starts the task when its turn comes. Custody's tasks go first, in order; then those of visitors, whose
   * accounts take turns. Returns null if it would have waited too long and was not started.
   */
  take<T>(task: () => Promise<T>, visitor?: Visitor): Promise<{ value: T } | null>;
  /**
   * Called when the service says that there are too many requests: for a while visitors are refused, and
   * custody alone goes on.
   */
  refuseVisitors(): void;
}

interface Waiting {
  start(): void;
  refuse(): void;
}

/** Visitors are refused for this long after the service said that there are too many requests. */
export const VISITORS_PAUSE_MS = minute;

/** A token bucket: holds `burst` turns, and gains one per gap. Nobody has or awaits a turn after `signal` is aborted. */
export function createLimiter({ gapMs, burst, maxWaitMs, reserve = 0 }: Pace, signal?: AbortSignal): Limiter {
  const custody: Waiting[] = [];
  const visitors = new FairQueue<Waiting>();
  let nextFreeMs = 0;
  let visitorsFromMs = 0;
  let timer: NodeJS.Timeout | undefined;

  const waitMs = (spare: number): number =>
    Math.max(0, nextFreeMs - (burst - 1 - spare) * gapMs - steadyMs());

  function serve(): void {
    clearTimeout(timer);
    while (custody.length > 0 || visitors.size > 0) {
      const pauseMs = waitMs(custody.length > 0 ? 0 : reserve);
      if (pauseMs > 0) {
        timer = setTimeout(serve, pauseMs);
        return;
      }
      nextFreeMs = Math.max(nextFreeMs, steadyMs()) + gapMs;
      (custody.shift() ?? visitors.take())?.start();
    }
  }

  const refuseVisitors = () => {
    for (let next = visitors.take(); next; next = visitors.take()) next.refuse();
  };

  signal?.addEventListener('abort', () => {
    clearTimeout(timer);
    for (const waiting of custody.splice(0)) waiting.refuse();
    refuseVisitors();
  });

  function enqueue(waiting: Waiting, visitor: Visitor | undefined): void {
    if (!visitor) custody.push(waiting);
    else {
      const { account, maxWaitMs: longestMs } = visitor;
      const late = setTimeout(() => visitors.remove(account, waiting) && waiting.refuse(), longestMs);
      const start = waiting.start;
      waiting.start = () => {
        clearTimeout(late);
        start();
      };
      visitors.add(account, waiting);
    }
    serve();
  }

  return {
    take(task, visitor) {
      const isRefused = visitor
        ? steadyMs() < visitorsFromMs
        : waitMs(0) + custody.length * gapMs > maxWaitMs;
      if (isRefused || signal?.aborted) return Promise.resolve(null);
      return new Promise((resolve, reject) => {
        const start = () => void task().then((value) => resolve({ value }), reject);
        enqueue({ start, refuse: () => resolve(null) }, visitor);
      });
    },
    refuseVisitors() {
      visitorsFromMs = steadyMs() + VISITORS_PAUSE_MS;
      refuseVisitors();
    },
  };
}

export const remoteServices = ['community', 'webApi', 'inventory', 'confirmations', 'logins'] as const;
export type RemoteService = (typeof remoteServices)[number];
export type Limiters = Record<RemoteService, Limiter>;

/** Steam limits by IP address, so all bots of the process share one limiter per service; confirmations by account. */
export const steamPaces: Record<RemoteService, Pace> = {
  community: { gapMs: 300, burst: 3, maxWaitMs: 20_000 },
  webApi: { gapMs: 200, burst: 10, maxWaitMs: 20_000, reserve: 5 },
  inventory: { gapMs: 4000, burst: 4, maxWaitMs: 30_000, reserve: 1 },
  confirmations: { gapMs: 10_000, burst: 2, maxWaitMs: 60_000 },
  logins: { gapMs: 10_000, burst: 1, maxWaitMs: 600_000 },
};

/** One limiter per remote service; create them once per process. */
export const createLimiters = (paces = steamPaces, signal?: AbortSignal): Limiters =>
  Object.fromEntries(
    remoteServices.map((service) => [service, inSpans(service, createLimiter(paces[service], signal))]),
  ) as Limiters;

/** Each call is a span; waiting for its turn is not part of it. */
const inSpans = (service: RemoteService, limiter: Limiter): Limiter => ({
  take: (task, visitor) => limiter.take(() => traced(`steam ${service}`, { service }, task), visitor),
  refuseVisitors: () => limiter.refuseVisitors(),
});
