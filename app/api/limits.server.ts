import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { widerNetworkOf } from '#app/http/client-address.ts';
import { database } from '#app/services/database.server.ts';
import {
  keyOf,
  type LimitedAct,
  longestWait,
  NETWORKS_TOGETHER,
} from '#app/services/limits/rate-limits.server.ts';
import { minute } from '#domain/kernel/time.ts';
import { type ApiFailure, failWith } from './failure.ts';
import { SharedCalls } from './shared-calls.server.ts';

/** Ten calls a second for a minute: more than any app needs. */
const limit = { points: 600, windowMs: minute };
const calls = new SharedCalls(database, limit, { keyOf: (who) => keyOf('call', who) });
/**
 * Limit for groups of IPv6 networks: otherwise each of a customer's 65,536 networks would be remembered, with
 * a limit of its own.
 */
const callsTogether = new RateLimiterMemory({ points: limit.points * NETWORKS_TOGETHER, duration: 60 });

/** Counts one call of an account, or of a network address if there is none; refuses above the limit. */
export async function admitCaller(who: string): Promise<void> {
  const wider = widerNetworkOf(who);
  try {
    if (wider !== null) await callsTogether.consume(wider);
    await calls.consume(who);
  } catch (refusal) {
    if (!(refusal instanceof RateLimiterRes)) throw refusal;
    const seconds = Math.max(1, Math.ceil(refusal.msBeforeNext / 1000));
    throw tooMany(seconds);
  }
}

/** Too many attempts: none is accepted for this number of seconds. */
export const tooMany = (waitSeconds: number): ApiFailure =>
  failWith('tooManyRequests', undefined, { 'Retry-After': String(waitSeconds) });

/** Counts one attempt under each of several limits, and refuses if one of them is reached. */
export async function requireAttempts(acts: Partial<Record<LimitedAct, string>>): Promise<void> {
  const waitSeconds = await longestWait(acts);
  if (waitSeconds > 0) throw tooMany(waitSeconds);
}
