import { day } from '#domain/time.ts';

/** Items are locked for this long after their deposit was accepted. */
export const DEPOSIT_LOCK_MS = 7 * day;

/** Until when a deposited item is locked: our seven days, or Steam's own date where that is later. */
export const lockedUntil = (acceptedAtMs: number, protectedUntilMs = 0): number =>
  Math.max(acceptedAtMs + DEPOSIT_LOCK_MS, protectedUntilMs);
