import type { Clock } from '#platform/clock.ts';

/**
 * Reads domain time and notices when it is put back, within `checkMs` (machine time). Not by how much it leaps
 * forward: in the demo that is how time passes.
 */
export function watchClock(clock: Pick<Clock, 'now'>, checkMs: number, onStep: (backMs: number) => void) {
  let lastMs = clock.now();
  const now = (): number => {
    const nowMs = clock.now();
    const backMs = lastMs - nowMs;
    lastMs = nowMs;
    if (backMs > 0) onStep(backMs);
    return nowMs;
  };
  const timer = setInterval(now, checkMs);
  timer.unref();
  return { now, stop: () => clearInterval(timer) };
}
