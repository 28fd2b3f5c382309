import { hour } from '#domain/kernel/time.ts';

/**
 * Returns when the item of a promise is sent at the earliest; null if at once. The result never changes,
 * because neither the promise nor its rule's delay does.
 */
export const sendsFrom = (
  { sendDelayHours }: { sendDelayHours: number },
  promisedAtMs: number,
): number | null => (sendDelayHours > 0 ? promisedAtMs + sendDelayHours * hour : null);

/**
 * Returns whether it is too late to claim a promise. `outageMs` is the time for which no bot has been alive:
 * nothing times out meanwhile, because the first heartbeat extends the window.
 */
export const hasTimedOut = (claimUntilMs: number, nowMs: number, outageMs: number): boolean =>
  nowMs >= claimUntilMs && outageMs === 0;

/**
 * Returns the time that an outage takes from a promise's window and gives back when it ends; the time before
 * the promise does not count.
 */
export const lostToOutage = (outageMs: number, promisedAtMs: number, nowMs: number): number =>
  Math.min(outageMs, Math.max(0, nowMs - promisedAtMs));

/** Returns the time that a freeze has taken from a promise's window until now and gives back when it ends. */
export const lostToFreeze = (
  { frozenAtMs, promisedAtMs }: { frozenAtMs: number | null; promisedAtMs: number },
  nowMs: number,
): number => (frozenAtMs === null ? 0 : Math.max(0, nowMs - Math.max(frozenAtMs, promisedAtMs)));
