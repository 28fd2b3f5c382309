import { onTestFinished, vi } from 'vitest';

/**
 * Holds the date, the process's own clock and these timers: time passes only by `passTime`. Ends with
 * `vi.useRealTimers()`. The process's own clock goes on from where it is, so that it never goes back.
 */
export function holdTime(nowMs: number = Date.now(), timers: ('setTimeout' | 'clearTimeout')[] = []): void {
  const steadyMs = Math.ceil(performance.now());
  vi.useFakeTimers({ toFake: ['Date', 'performance', ...timers], now: nowMs - steadyMs });
  vi.advanceTimersByTime(steadyMs);
}

/** Lets held time pass. */
export const passTime = (ms: number): void => void vi.advanceTimersByTime(ms);

/** Sets the host's clock forward or back; no time passes. */
export const stepHostClock = (ms: number): void => void vi.setSystemTime(Date.now() + ms);

/** Skips time of the process's own clock alone, in a test whose time goes on by itself; ends with the test. */
export function skippableSteadyTime(): { skip(ms: number): void } {
  let skippedMs = 0;
  const clock = performance;
  const steadyMs = clock.now.bind(clock);
  const before = Object.getOwnPropertyDescriptor(clock, 'now');
  // No spy, because it would remember each of many calls.
  Object.defineProperty(clock, 'now', { value: () => steadyMs() + skippedMs, configurable: true });
  onTestFinished(() => {
    if (before) Object.defineProperty(clock, 'now', before);
    else Reflect.deleteProperty(clock, 'now');
  });
  return {
    skip(ms) {
      skippedMs += ms;
    },
  };
}

/** Skips time of both clocks in a test whose time goes on by itself; ends with the test. */
export function skippableTime(): { skip(ms: number): void } {
  let skippedMs = 0;
  const dateMs = Date.now.bind(Date);
  const date = vi.spyOn(Date, 'now').mockImplementation(() => dateMs() + skippedMs);
  onTestFinished(() => date.mockRestore());
  const steady = skippableSteadyTime();
  return {
    skip(ms) {
      skippedMs += ms;
      steady.skip(ms);
    },
  };
}
