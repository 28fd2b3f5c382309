import { and, type Column, gt, lte, or, type SQL } from 'drizzle-orm';
import { minute } from './time.ts';

/** The clocks of two processes may differ by this much. */
const CLOCKS_APART_MS = minute;

/** Latest end of a lease that was taken just now; a later one comes from a clock that was put back since. */
const latestEndMs = (longestMs: number, systemMs: number): number => systemMs + longestMs + CLOCKS_APART_MS;

/**
 * Returns for how much longer a lease is in force, 0 once it has ended. It is never longer than `longestMs`: one that
 * ends further ahead was taken while the clock was ahead, and locks out nobody. System time.
 */
export const leaseLeftMs = (untilMs: number, longestMs: number, systemMs: number): number =>
  untilMs > latestEndMs(longestMs, systemMs) ? 0 : Math.max(0, untilMs - systemMs);

/** Matches rows with a lease in force, as `leaseLeftMs` tells it. */
export const isLeased = (untilMs: Column, longestMs: number, systemMs: number): SQL | undefined =>
  and(gt(untilMs, systemMs), lte(untilMs, latestEndMs(longestMs, systemMs)));

/** Matches the others. */
export const isUnleased = (untilMs: Column, longestMs: number, systemMs: number): SQL | undefined =>
  or(lte(untilMs, systemMs), gt(untilMs, latestEndMs(longestMs, systemMs)));
