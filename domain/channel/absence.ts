import { minute } from '#domain/kernel/time.ts';

/**
 * Twitch's lists leave out what exists, some for minutes (twitchdev/issues 184, 924 and 1103,
 * justintv/Twitch-API issue 314). So what is missing counts as gone only once a second look, this much later,
 * misses it too. Domain time where the first look is stored, otherwise the process's own.
 */
export const CHECKS_APART_MS = 2 * minute;

/**
 * Returns whether something that was first missed at `missedAtMs`, and is missing now, is gone. Null: it was
 * not missing before.
 */
export const isAbsent = (missedAtMs: number | null, nowMs: number): boolean =>
  missedAtMs !== null && nowMs - missedAtMs >= CHECKS_APART_MS;

/** Returns the time of the first look that missed something which is missing now; a clock put back starts over. */
export const firstMissed = (missedAtMs: number | null, nowMs: number): number =>
  missedAtMs === null || missedAtMs > nowMs ? nowMs : missedAtMs;

/** A list that was read to its end, and the number that Twitch gives for it. */
export interface ListLength {
  rows: number;
  total: number;
}

/** The number of rows by which a list was too short, and since when it has been, by the clock by which it is judged. */
export interface Shortfall {
  short: number;
  sinceMs: number;
}

/** People come and go while a long list is read page by page. */
const driftOf = (rows: number): number => Math.floor(rows / 100);
/** Suspended accounts are in the number and not on the list (justintv/Twitch-API issue 684). */
const slackOf = (total: number): number => Math.max(10, Math.ceil(total / 20));

/**
 * Judges a list by its own number. `short`: the reading failed. A list that stays as short for two looks is
 * `settled`: Twitch has no more. Only a list that lacks no more than suspended accounts explain proves who is
 * not on it. A clock put back starts over.
 */
export function judgeList(
  { rows, total }: ListLength,
  before: Shortfall | null,
  nowMs: number,
): { is: 'complete' | 'settled' | 'short'; proves: boolean; shortfall: Shortfall | null } {
  const short = total - rows;
  if (short <= driftOf(rows)) return { is: 'complete', proves: true, shortfall: null };
  const isSame = before !== null && short <= before.short && before.sinceMs <= nowMs;
  const sinceMs = isSame ? before.sinceMs : nowMs;
  const shortfall = { short: isSame ? before.short : short, sinceMs };
  const isSettled = isSame && isAbsent(sinceMs, nowMs);
  return { is: isSettled ? 'settled' : 'short', proves: isSettled && short <= slackOf(total), shortfall };
}
