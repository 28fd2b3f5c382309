import { useEffect, useState } from 'react';

const TICK_MS = 5000;

/** The server's time, running on in the browser, for texts that show how soon something ends. */
export function useRunningTime(serverMs: number): number {
  const [nowMs, setNowMs] = useState(serverMs);
  useEffect(() => {
    const beganAtMs = performance.now();
    const update = () => setNowMs(serverMs + performance.now() - beganAtMs);
    update();
    const ticking = setInterval(update, TICK_MS);
    return () => clearInterval(ticking);
  }, [serverMs]);
  return nowMs;
}
