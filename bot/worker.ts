import type { Log } from '#bot/log.ts';

export interface Worker {
  readonly name: string;
  /** Runs soon instead of at the next turn; a run under way is followed by another one. */
  nudge(): void;
  /** No further run begins; resolves when the run under way has ended. */
  stop(): Promise<void>;
}

export interface WorkerOptions {
  name: string;
  everyMs: number;
  /** One round of work. `signal` is aborted by `stop()`: a long round ends at its next safe place. */
  run: (signal: AbortSignal) => Promise<void>;
  log: Log;
}

const LONGEST_PAUSE_MS = 5 * 60_000;
/** Two processes that started together drift apart by this share of the interval. */
const JITTER = 0.1;

/**
 * Runs a round at once and then at intervals, never two at a time. A round that throws is logged and the next one
 * waits longer, up to five minutes; a nudge ends the pause.
 */
export function startWorker({ name, everyMs, run, log }: WorkerOptions): Worker {
  const stopping = new AbortController();
  let failures = 0;
  let nudged = false;
  let wake = () => {};

  const pause = (pauseMs: number) =>
    new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, pauseMs);
      wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });

  const round = async () => {
    try {
      await run(stopping.signal);
      failures = 0;
    } catch (error) {
      failures += 1;
      log.error({ err: error, worker: name, failures }, 'a round of work failed');
    }
  };

  const loop = async () => {
    while (!stopping.signal.aborted) {
      nudged = false;
      await round();
      if (nudged || stopping.signal.aborted) continue;
      const longer = Math.min(everyMs * 2 ** Math.min(failures, 10), Math.max(everyMs, LONGEST_PAUSE_MS));
      await pause(longer * (1 + JITTER * (Math.random() * 2 - 1)));
    }
  };

  const running = loop();
  return {
    name,
    nudge() {
      nudged = true;
      wake();
    },
    async stop() {
      stopping.abort();
      wake();
      await running;
    },
  };
}
