import { setTimeout as pause } from 'node:timers/promises';
import { processLog } from '#app/http/logger.server.ts';
import { overlayViewers } from '#domain/budget/budgets.ts';
import { outsideRequests } from '#platform/request-id.ts';

/** A reading of a channel's viewers; it may look at all of them. */
interface ViewerReading {
  readViewers: () => Promise<void>;
}

interface Clock {
  now: () => number;
  pause: (ms: number) => Promise<unknown>;
}

const steady: Clock = {
  now: () => performance.now(),
  pause: (ms) => pause(ms, undefined, { ref: false }),
};

/** Turns in which viewers are read one channel after another, so that all of them take no more than a share of the time. */
export class ViewerTurns {
  readonly #clock: Clock;
  readonly #waiting = new Set<ViewerReading>();
  #isReading = false;

  constructor(clock = steady) {
    this.#clock = clock;
  }

  /** Reads once the turn comes. Asking again before that changes nothing. */
  add(reading: ViewerReading): void {
    this.#waiting.add(reading);
    if (this.#isReading) return;
    this.#isReading = true;
    outsideRequests(() => void this.#readAll());
  }

  async #readAll(): Promise<void> {
    for (const reading of this.#waiting) {
      this.#waiting.delete(reading);
      const beganAt = this.#clock.now();
      try {
        await reading.readViewers();
      } catch (error) {
        processLog.warn({ err: error }, 'could not read the viewers of an overlay; it keeps those it has');
      }
      await this.#clock.pause((this.#clock.now() - beganAt) * (1 / overlayViewers.shareOfTime - 1));
    }
    this.#isReading = false;
  }
}

/** The turns of this process. */
export const viewerTurns = new ViewerTurns();
