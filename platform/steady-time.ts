/**
 * Milliseconds that only go forward: a clock that is put back changes nothing, and time goes on from there.
 * Begins with the clock's own time.
 */
export function forwardOnly(clock: () => number): () => number {
  let lastMs = clock();
  let steadyNowMs = lastMs;
  return () => {
    const nowMs = clock();
    steadyNowMs += Math.max(0, nowMs - lastMs);
    lastMs = nowMs;
    return steadyNowMs;
  };
}

/**
 * The time for pauses, waits and the age of what a process remembers. It is no date: it is neither stored nor
 * compared with what another process wrote.
 */
export const steadyMs = forwardOnly(() => Date.now());
