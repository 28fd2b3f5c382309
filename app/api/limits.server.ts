import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { type LimitedAct, longestWait } from '#app/services/rate-limits.server.ts';
import { type ApiFailure, failWith } from './failure.ts';

/** Ten calls a second for a minute on end: more than any app needs, and less than what hurts. */
const calls = new RateLimiterMemory({ points: 600, duration: 60 });

/** Counts one call of an account, or of an address that is nobody's yet; refuses when there were too many of late. */
export async function admitCaller(who: string): Promise<void> {
  try {
    await calls.consume(who);
  } catch (refusal) {
    if (!(refusal instanceof RateLimiterRes)) throw refusal;
    const seconds = Math.max(1, Math.ceil(refusal.msBeforeNext / 1000));
    throw tooMany(seconds);
  }
}

/** Too many tries of late: none is looked at for so many seconds. */
export const tooMany = (waitSeconds: number): ApiFailure =>
  failWith('tooManyRequests', undefined, { 'Retry-After': String(waitSeconds) });

/** Counts one try under each of several limits, and refuses when one of them is reached. */
export async function requireAttempts(acts: Partial<Record<LimitedAct, string>>): Promise<void> {
  const waitSeconds = await longestWait(acts);
  if (waitSeconds > 0) throw tooMany(waitSeconds);
}
