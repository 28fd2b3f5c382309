import type { Reader } from '#db/database.ts';
import type { rewards } from '#db/schema/reward.ts';
import { getOutageMs } from '#domain/bot/get-outage.ts';
import { REMINDER_MS } from '#domain/kernel/reminder.ts';
import { minute } from '#domain/kernel/time.ts';
import { hasTimedOut, lostToOutage } from '#domain/reward/claim-window.ts';

/** While the claim clock stands still, what is to be told of a promise is looked at again after this time. */
export const STANDSTILL_MS = 10 * minute;

/** Says whether a viewer is to be told now that a promise waits to be claimed, and until when it does. */
export type DuePromise =
  | { due: true; untilMs: number | null }
  | { due: false; reason: 'outdated' }
  | { due: false; reason: 'later'; dueAtMs: number };

type Facts = Pick<typeof rewards.$inferSelect, 'state' | 'promisedAtMs' | 'claimUntilMs'> & {
  frozenAtMs: number | null;
};

/**
 * Tells of a promise for as long as it can be claimed. While the claim clock stands still that is so whatever its window
 * says, but nobody is reminded of an end that moves.
 */
export async function findDuePromise(
  q: Reader,
  { state, promisedAtMs, claimUntilMs, frozenAtMs }: Facts,
  isReminder: boolean,
  nowMs: number,
  systemMs: number,
): Promise<DuePromise> {
  if (state === 'recalled' || state === 'claimed') return { due: false, reason: 'outdated' };
  if (state !== 'promised' || claimUntilMs === null)
    return isReminder ? { due: false, reason: 'outdated' } : { due: true, untilMs: null };
  if (frozenAtMs !== null) return { due: false, reason: 'later', dueAtMs: nowMs + STANDSTILL_MS };
  const outageMs = await getOutageMs(q, systemMs);
  if (hasTimedOut(claimUntilMs, nowMs, outageMs)) return { due: false, reason: 'outdated' };
  const untilMs = claimUntilMs + lostToOutage(outageMs, promisedAtMs ?? nowMs, nowMs);
  if (!isReminder) return { due: true, untilMs };
  if (outageMs > 0) return { due: false, reason: 'later', dueAtMs: nowMs + STANDSTILL_MS };
  // An outage extended the window.
  if (untilMs - REMINDER_MS > nowMs) return { due: false, reason: 'later', dueAtMs: untilMs - REMINDER_MS };
  return { due: true, untilMs };
}
