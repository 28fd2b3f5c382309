import { day } from '#domain/kernel/time.ts';

/** Time that items stay locked after their deposit is accepted. */
export const DEPOSIT_LOCK_MS = 7 * day;

/** Returns when a deposited item unlocks: after our seven days or at Steam's date, whichever is later. */
export const lockedUntil = (acceptedAtMs: number, protectedUntilMs = 0): number =>
  Math.max(acceptedAtMs + DEPOSIT_LOCK_MS, protectedUntilMs);
