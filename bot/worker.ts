import type { Changes } from '#bot/changes.ts';
import type { Log } from '#bot/log.ts';
import { workerRounds } from '#bot/metrics.ts';
import { traced } from '#platform/tracing.ts';

export interface Worker {
  readonly name: string;
  /** Runs at once; if a run is in progress, another one follows. */
  nudge(): void;
  /** Runs within its usual interval, as after a change, instead of when something is next due. */
  soon(): void;
  /** Starts no further run; resolves when the current one has ended. */
  stop(): Promise<void>;
}

/**
 * Milliseconds until a worker has work even if nothing changes. 0 means that some work could not be done now
 * and is retried at the usual interval. Null means that nothing is due until something changes.
 */
export type NextDue = number | null;

export interface WorkerOptions {
  name: string;
  /** The usual interval: a change starts a round no sooner than this after the last one. */
  everyMs: number;
  /** One round of work. `stop()` aborts `signal`: a long round ends at its next safe point. */
  run: (signal: AbortSignal) => Promise<NextDue>;
  /** Triggers rounds, besides nudges and due times. */
  changes?: Changes;
  /** The longest pause after failed rounds, where others cannot go on without this worker. Unset: five minutes. */
  longestPauseMs?: number;
  log: Log;
}

const MAX_PAUSE_MS = 5 * 60_000;
/** Workers that listen to changes also run at this interval, in case a change went unnoticed. */
const MAX_IDLE_MS = 60_000;
/** The random share of the interval by which processes started together drift apart. */
const JITTER = 0.1;

const jitterMs = (longMs: number): number => longMs * JITTER * (Math.random() * 2 - 1);

function pauseAfter(failures: number, everyMs: number, longestPauseMs: number): number {
  const longer = Math.min(everyMs * 2 ** Math.min(failures, 10), Math.max(everyMs, longestPauseMs));
  return longer + jitterMs(longer);
}

/** The earliest of several due times. */
export const soonest = (...dues: readonly NextDue[]): NextDue =>
  dues.reduce((one, other) => (one === null || (other !== null && other < one) ? other : one), null);

/** Makes work due again after a fixed time. */
export const atIntervals =
  (everyMs: number, work: (signal: AbortSignal) => Promise<unknown>) =>
  async (signal: AbortSignal): Promise<NextDue> => {
    await work(signal);
    return everyMs;
  };

/**
 * Runs a round at once, and then whenever something changed or is due, never two at a time. When a round throws, the
 * error is logged and the next round waits longer, up to `longestPauseMs`, even if something changes; a nudge ends any
 * pause.
 */
export function startWorker(options: WorkerOptions): Worker {
  const { name, everyMs, run, changes, longestPauseMs = MAX_PAUSE_MS, log } = options;
  const stopping = new AbortController();
  const pause = createPause();
  let failures = 0;
  let nudged = false;
  let changed = false;

  const soon = () => {
    changed = true;
    if (failures === 0) pause.endAfter(everyMs);
  };
  const unsubscribe = changes?.listen(soon);

  const round = async (): Promise<NextDue> => {
    const endRound = workerRounds.startTimer({ worker: name });
    try {
      const dueMs = await traced(`round of ${name}`, { worker: name }, () => run(stopping.signal));
      failures = 0;
      endRound({ outcome: 'done' });
      return dueMs;
    } catch (error) {
      failures += 1;
      endRound({ outcome: 'failed' });
      log.error({ err: error, worker: name, failures }, "a worker's round failed; retrying");
      return null;
    }
  };

  const pauseMs = (dueMs: NextDue): number => {
    if (failures > 0) return pauseAfter(failures, everyMs, longestPauseMs);
    const usual = everyMs + jitterMs(everyMs);
    if (dueMs !== null && dueMs <= 0) return usual;
    // Something that is due sooner does not wait for the change.
    if (changed) return dueMs === null ? usual : Math.min(usual, dueMs + Math.abs(jitterMs(everyMs)));
    const idle = changes ? MAX_IDLE_MS + jitterMs(MAX_IDLE_MS) : Number.POSITIVE_INFINITY;
    // It does not run before it is due, because the round would find nothing.
    return Math.min(dueMs === null ? Number.POSITIVE_INFINITY : dueMs + Math.abs(jitterMs(everyMs)), idle);
  };

  const loop = async () => {
    while (!stopping.signal.aborted) {
      nudged = false;
      changed = false;
      const dueMs = await round();
      if (nudged || stopping.signal.aborted) continue;
      await pause.begin(pauseMs(dueMs));
    }
  };

  const running = loop();
  return {
    name,
    nudge() {
      nudged = true;
      pause.end();
    },
    soon,
    async stop() {
      unsubscribe?.();
      stopping.abort();
      pause.end();
      await running;
    },
  };
}

/** Node fires timers longer than this at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** A pause that can be cut short. */
function createPause() {
  let beganAtMs = 0;
  let endsAtMs = 0;
  let timer: NodeJS.Timeout | undefined;
  let wake = () => {};
  const endIn = (ms: number) => {
    clearTimeout(timer);
    endsAtMs = performance.now() + ms;
    timer = setTimeout(() => wake(), Math.min(Math.max(0, ms), MAX_TIMER_MS));
  };
  return {
    begin: (ms: number) =>
      new Promise<void>((resolve) => {
        beganAtMs = performance.now();
        wake = () => {
          endsAtMs = 0;
          resolve();
        };
        endIn(ms);
      }),
    /** Ends the pause once it has lasted this long, but never later than planned. */
    endAfter(ms: number): void {
      if (beganAtMs + ms < endsAtMs) endIn(beganAtMs + ms - performance.now());
    },
    end(): void {
      clearTimeout(timer);
      wake();
    },
  };
}
