import { hour } from './time.ts';

/** The viewer is reminded this long before a promise ends. */
export const REMINDER_MS = 6 * hour;

/** Returns whether a promise is open long enough for a reminder: one that comes soon after the promise says nothing new. */
export const isReminded = (fromMs: number, untilMs: number): boolean => untilMs - fromMs >= 2 * REMINDER_MS;
