import { hour } from '#domain/time.ts';

/** How long before a promise ends its viewer is reminded. */
export const REMINDER_MS = 6 * hour;

/**
 * Whether a promise can be claimed no longer. `outageMs` is how long no bot has been alive: meanwhile nothing times out,
 * because the first heartbeat extends the window.
 */
export const hasTimedOut = (claimUntilMs: number, nowMs: number, outageMs: number): boolean =>
  nowMs >= claimUntilMs && outageMs === 0;
