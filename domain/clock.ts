/** Domain time in epoch milliseconds. Tokens, TOTP, TLS and HTTP deadlines use the system's own time instead. */
export interface Clock {
  now(): number;
  stop(): void;
}

export const systemClock: Clock = { now: () => Date.now(), stop: () => {} };

const POLL_MS = 500;
const DEADLINE_MS = 2000;

/**
 * Follows a time service (`GET {url}/now` → `{ offsetMs }`): its offset to system time is read twice a second and
 * never followed backwards. While it does not answer, the last offset holds; throws when it has never answered.
 */
export async function followClock(url: string): Promise<Clock> {
  let offsetMs = 0;
  const read = async () => {
    const response = await fetch(new URL('/now', url), { signal: AbortSignal.timeout(DEADLINE_MS) });
    const answer = (await response.json()) as { offsetMs?: unknown };
    if (typeof answer.offsetMs !== 'number') throw new Error(`the clock at ${url} does not tell its offset`);
    offsetMs = Math.max(offsetMs, answer.offsetMs);
  };
  await read();
  const timer = setInterval(() => void read().catch(() => {}), POLL_MS);
  timer.unref();
  return { now: () => Date.now() + offsetMs, stop: () => clearInterval(timer) };
}

/** Domain time: a clock service's where one is configured, as the sandbox does; the system's otherwise. */
export const openClock = async (url: string | undefined): Promise<Clock> =>
  url ? followClock(url) : systemClock;

export const second = 1000;
export const minute = 60 * second;
export const hour = 60 * minute;
export const day = 24 * hour;
