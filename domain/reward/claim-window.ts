import { hour } from '#domain/kernel/time.ts';

/**
 * When the item of a promise is sent at the earliest; null if at once. Neither the promise nor its rule's delay ever
 * changes, so nothing moves it.
 */
export const sendsFrom = (
  { sendDelayHours }: { sendDelayHours: number },
  promisedAtMs: number,
): number | null => (sendDelayHours > 0 ? promisedAtMs + sendDelayHours * hour : null);

/** How long before a promise ends its viewer is reminded. */
export const REMINDER_MS = 6 * hour;

/**
 * Whether it is too late to claim a promise. `outageMs` is how long no bot has been alive: meanwhile nothing times out,
 * because the first heartbeat extends the window.
 */
export const hasTimedOut = (claimUntilMs: number, nowMs: number, outageMs: number): boolean =>
  nowMs >= claimUntilMs && outageMs === 0;

/** What an outage takes from a promise's window, and gives back when it ends: nothing from before the promise. */
export const lostToOutage = (outageMs: number, promisedAtMs: number, nowMs: number): number =>
  Math.min(outageMs, Math.max(0, nowMs - promisedAtMs));

/** Time that a freeze has taken from a promise's window until now, and gives back when it ends. */
export const lostToFreeze = (
  { frozenAtMs, promisedAtMs }: { frozenAtMs: number | null; promisedAtMs: number },
  nowMs: number,
): number => (frozenAtMs === null ? 0 : Math.max(0, nowMs - Math.max(frozenAtMs, promisedAtMs)));
