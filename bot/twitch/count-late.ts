import type { Log } from '#bot/log.ts';
import { minute } from '#domain/kernel/time.ts';
import { steadyMs } from '#platform/steady-time.ts';

/** Late messages are logged at this interval, however many there are. */
const LOG_EVERY_MS = minute;

/**
 * Counts messages that came too late to be acted on, and logs their number: a host clock that is ahead makes
 * all of them late.
 */
export function countLate(log: Pick<Log, 'warn'>, text: string) {
  let count = 0;
  let loggedAtMs = Number.NEGATIVE_INFINITY;
  return ({ sentAtMs, ...facts }: { channelId: string; topic?: string; sentAtMs: number }): void => {
    count += 1;
    if (steadyMs() - loggedAtMs < LOG_EVERY_MS) return;
    loggedAtMs = steadyMs();
    log.warn({ ...facts, ageMs: Date.now() - sentAtMs, count }, text);
  };
}
