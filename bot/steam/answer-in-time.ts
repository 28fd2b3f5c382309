import { callInTime } from '#bot/call-in-time.ts';
import { abortedBy } from '#bot/steam/steam-clients.ts';
import { withDeadline } from '#bot/steam/steam-failure.ts';
import type { SteamSession } from '#bot/steam/steam-session.ts';

/** Longer than the HTTP timeout, so that no request outlives its deadline. */
const CALL_DEADLINE_MS = 45_000;

/** Waits for the answer of a session's call until its deadline, or the end of the lease, at which its requests are aborted. */
export const answerInTime = <T>(
  session: Pick<SteamSession, 'contain'>,
  leftMs: () => number,
  call: () => Promise<T>,
): Promise<T> =>
  callInTime(leftMs, (signal) =>
    withDeadline(
      session.contain(() => abortedBy(signal, call)),
      CALL_DEADLINE_MS,
    ),
  );
