import { processLog } from '#app/http/logger.server.ts';
import { outsideRequests } from '#platform/request-id.ts';

/** Time after which a failed reading is repeated, for the last of what it was for. */
const AGAIN_MS = 1_000;
const MAX_WAITING = 2_000;

/** Gathers what comes within a time, and does it together, each once. Returns the function that adds one. */
export function together<T>(ms: number, work: (all: readonly T[]) => Promise<void>): (one: T) => void {
  let waiting = new Set<T>();
  let isDue = false;
  const later = (waitMs: number) => {
    if (isDue) return;
    isDue = true;
    outsideRequests(() => setTimeout(() => void run(), waitMs).unref());
  };
  const run = async () => {
    const taken = [...waiting];
    waiting = new Set();
    isDue = false;
    try {
      await work(taken);
    } catch (error) {
      processLog.warn({ err: error }, 'could not read what overlays show; retrying');
      waiting = new Set([...taken, ...waiting].slice(-MAX_WAITING));
      later(AGAIN_MS);
    }
  };
  return (one) => {
    waiting.add(one);
    later(ms);
  };
}
