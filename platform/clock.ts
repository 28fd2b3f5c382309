import http from 'node:http';
import https from 'node:https';
import { json } from 'node:stream/consumers';

/** Domain time in epoch milliseconds. Tokens, TOTP, TLS and HTTP deadlines use system time instead. */
export interface Clock {
  now(): number;
  stop(): void;
}

export const systemClock: Clock = { now: () => Date.now(), stop: () => {} };

const POLL_MS = 500;
const DEADLINE_MS = 2000;

/**
 * Follows a time service (`GET {url}/now` → `{ offsetMs }`): reads its offset to system time twice a second. Like a
 * host's clock it can leap back; a late answer is not taken for that. While it does not answer, the last offset applies; throws if it has never answered.
 */
export async function followClock(url: string): Promise<Clock> {
  let offsetMs = 0;
  const place = new URL('/now', url);
  const { Agent } = place.protocol === 'https:' ? https : http;
  const agent = new Agent({ keepAlive: true });
  let asked = 0;
  let answered = 0;
  const read = async () => {
    asked += 1;
    const number = asked;
    const answer = (await ask(place, agent)) as { offsetMs?: unknown };
    if (typeof answer.offsetMs !== 'number') throw new Error(`the clock at ${url} does not tell its offset`);
    if (number < answered) return;
    answered = number;
    offsetMs = answer.offsetMs;
  };
  const stop = () => {
    clearInterval(timer);
    agent.destroy();
  };
  let timer: NodeJS.Timeout | undefined;
  await read().catch((error) => {
    stop();
    throw error;
  });
  timer = setInterval(() => void read().catch(() => {}), POLL_MS);
  timer.unref();
  return { now: () => Date.now() + offsetMs, stop };
}

/** `fetch` uses several times the CPU for this, and an idle process would do little else. */
const ask = (url: URL, agent: http.Agent): Promise<unknown> =>
  new Promise((resolve, reject) => {
    const { get } = url.protocol === 'https:' ? https : http;
    const asked = get(url, { agent, timeout: DEADLINE_MS }, (response) => {
      json(response).then(resolve, reject);
    });
    asked.on('timeout', () => asked.destroy(new Error(`the clock at ${url} does not answer`)));
    asked.on('error', reject);
  });

/** Opens domain time: from a clock service if configured, as in the sandbox, otherwise system time. */
export const openClock = async (url: string | undefined): Promise<Clock> =>
  url ? followClock(url) : systemClock;
