import type { Changes } from '#bot/changes.ts';
import type { Log } from '#bot/log.ts';

export interface Worker {
  readonly name: string;
  /** Runs soon instead of at the next turn; a run under way is followed by another one. */
  nudge(): void;
  /** Runs at its usual pace, as after a change, instead of when something is next due. */
  soon(): void;
  /** No further run begins; resolves when the run under way has ended. */
  stop(): Promise<void>;
}

/**
 * In how many milliseconds a worker has something to do even if nothing changes until then; 0: something waits that it
 * could not do now, and it looks again at its usual pace. Null: nothing is due before something changes.
 */
export type NextDue = number | null;

export interface WorkerOptions {
  name: string;
  /** The usual pace: a change leads to a round no sooner than this after the last one. */
  everyMs: number;
  /** One round of work. `signal` is aborted by `stop()`: a long round ends at its next safe place. */
  run: (signal: AbortSignal) => Promise<NextDue>;
  /** What leads to rounds besides nudges and the time when something is due. */
  changes?: Changes;
  log: Log;
}

const MAX_PAUSE_MS = 5 * 60_000;
/** Whoever waits for changes looks around this often all the same: a change may have gone unnoticed. */
const MAX_IDLE_MS = 60_000;
/** Two processes that started together drift apart by this share of the interval. */
const JITTER = 0.1;

/** The soonest of several times when something is due. */
export const soonest = (...dues: readonly NextDue[]): NextDue =>
  dues.reduce((one, other) => (one === null || (other !== null && other < one) ? other : one), null);

/** A round that is due again after a fixed time. */
export const atIntervals =
  (everyMs: number, work: (signal: AbortSignal) => Promise<unknown>) =>
  async (signal: AbortSignal): Promise<NextDue> => {
    await work(signal);
    return everyMs;
  };

/**
 * Runs a round at once, and then whenever something changed or is due, never two at a time. A round that throws is
 * logged and the next one waits longer, up to five minutes, whatever changes; a nudge ends any pause.
 */
export function startWorker({ name, everyMs, run, changes, log }: WorkerOptions): Worker {
  const stopping = new AbortController();
  const pause = pausing();
  let failures = 0;
  let nudged = false;
  let changed = false;

  const soon = () => {
    changed = true;
    if (failures === 0) pause.endAfter(everyMs);
  };
  const unsubscribe = changes?.listen(soon);

  const round = async (): Promise<NextDue> => {
    try {
      const dueMs = await run(stopping.signal);
      failures = 0;
      return dueMs;
    } catch (error) {
      failures += 1;
      log.error({ err: error, worker: name, failures }, 'a round of work failed');
      return null;
    }
  };

  const pauseMs = (dueMs: NextDue): number => {
    const jitterMs = (longMs: number) => longMs * JITTER * (Math.random() * 2 - 1);
    if (failures > 0) {
      const longer = Math.min(everyMs * 2 ** Math.min(failures, 10), Math.max(everyMs, MAX_PAUSE_MS));
      return longer + jitterMs(longer);
    }
    const usual = everyMs + jitterMs(everyMs);
    if (changed || (dueMs !== null && dueMs <= 0)) return usual;
    const idle = changes ? MAX_IDLE_MS + jitterMs(MAX_IDLE_MS) : Number.POSITIVE_INFINITY;
    // Not before it is due: the round would find nothing.
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

/** Longer than this, a timer goes off at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** A pause that can be cut short. */
function pausing() {
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
        wake = resolve;
        endIn(ms);
      }),
    /** Ends it when it has lasted this long: at once if it has, and no later than it would anyway. */
    endAfter(ms: number): void {
      const nowMs = performance.now();
      if (beganAtMs + ms < endsAtMs && nowMs < endsAtMs) endIn(beganAtMs + ms - nowMs);
    },
    end(): void {
      clearTimeout(timer);
      endsAtMs = 0;
      wake();
    },
  };
}
