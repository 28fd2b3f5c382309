import { callInTime } from '#bot/call-in-time.ts';
import type { OfferRequest } from '#bot/steam/steam-account.ts';
import { abortedBy } from '#bot/steam/steam-clients.ts';
import { DeadlineError, withDeadline } from '#bot/steam/steam-failure.ts';
import type { SteamSession } from '#bot/steam/steam-session.ts';
import { second } from '#domain/kernel/time.ts';

/** Longer than the HTTP timeout, so that no request outlives its deadline. */
const CALL_DEADLINE_MS = 45 * second;
/** The longest sending of an offer that gives something: whoever takes over waits for as long before it sends another. */
export const GIVING_DEADLINE_MS = 20 * second;

/** The deadline of sending an offer. One that only asks for items has no confirmation of ours to hold it back. */
export const deadlineOf = ({ give }: Pick<OfferRequest, 'give'>): number =>
  give.length > 0 ? GIVING_DEADLINE_MS : CALL_DEADLINE_MS;

/** Waits for the answer of a session's call until its deadline, or the end of the lease. Its requests are aborted then. */
export function answerInTime<T>(
  session: Pick<SteamSession, 'contain'>,
  leftMs: () => number,
  call: () => Promise<T>,
  deadlineMs = CALL_DEADLINE_MS,
): Promise<T> {
  const late = new AbortController();
  const make = (signal: AbortSignal) => {
    const answer = session.contain(() => abortedBy(signal, call));
    return withDeadline(answer, deadlineMs).catch((error) => {
      if (error instanceof DeadlineError) late.abort();
      throw error;
    });
  };
  return callInTime(leftMs, make, late.signal);
}
