import type { ShownMoment } from './protocol.ts';

/** More than these wait as a number only. */
const MAX_WAITING = 5;
/** Time between two moments, so that they never overlap. */
const BETWEEN_MS = 600;

/** A moment with the number of those after it that are not shown one by one. */
export type NextMoment = ShownMoment & { more: number };

/** The player of moments, and the clock that wakes the queue. */
interface Stage {
  /** Shows a moment, and calls `done` when it has left. */
  play: (moment: NextMoment, done: () => void) => void;
  later: (wake: () => void, ms: number) => void;
}

/** Moments one after another: at most a few wait, the others are counted with the last of them. */
export function momentQueue({ play, later }: Stage) {
  let waiting: ShownMoment[] = [];
  let extra = 0;
  let isBusy = false;
  const next = () => {
    const [moment] = waiting.splice(0, 1);
    isBusy = moment !== undefined;
    if (!moment) return;
    const more = waiting.length === 0 ? extra : 0;
    if (more > 0) extra = 0;
    play({ ...moment, more }, () => later(next, BETWEEN_MS));
  };
  return {
    push(moment: ShownMoment): void {
      if (waiting.length < MAX_WAITING) waiting.push(moment);
      else extra += 1;
      if (!isBusy) next();
    },
    /** Forgets those that wait: nobody would have seen them. */
    drop(): void {
      waiting = [];
      extra = 0;
    },
  };
}
