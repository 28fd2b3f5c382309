import type { BotDeps } from '#bot/deps.ts';
import type { ReadWatched } from '#bot/twitch/channel/watched-channels.ts';
import type { TwitchAccess } from '#bot/twitch/grants/twitch-access.ts';
import { twitchFaultOf } from '#bot/twitch/twitch-fault.ts';
import type { NextDue } from '#bot/worker.ts';
import { listSignedInLinks } from '#domain/account/twitch/list-signed-in-links.ts';
import { hour, minute, second } from '#domain/kernel/time.ts';
import { steadyMs } from '#platform/steady-time.ts';

/** Steady time. */
const CHECK_EVERY_MS = hour;
const SPREAD_MS = 50 * minute;
const RETRY_AFTER_MS = minute;
const LINKS_AT_ONCE = 20;
/** This many failures in a row are an outage; fewer concern one person. */
const OUTAGE_FAILURES = 2;
/** At most ten tokens a second, whatever their number. */
const MIN_ROUND_EVERY_MS = 2 * second;

type Deps = Pick<BotDeps, 'db' | 'clock' | 'log'> & { watched: ReadWatched } & Pick<TwitchAccess, 'validate'>;

/**
 * Asks Twitch at the start and hourly about the token of everyone who is signed in, as it demands from
 * applications that people log in to (dev.twitch.tv/docs/authentication/validate-tokens): users who
 * disconnected us there are to be signed out. Spread over most of the hour; channels with open rules have a
 * check of their own.
 */
export function checkLinks({ db, clock, log, watched, validate }: Deps) {
  let after: string | null = null;
  let begunAtMs = 0;
  let nextRoundAtMs = 0;
  let rounds = 0;
  let roundEveryMs = MIN_ROUND_EVERY_MS;
  /** Failures in a row, across rounds, because some instances have only one person to check. */
  let failures = 0;

  /** Returns false if it stopped before the end, at the last of those that failed. */
  const validateEach = async (twitchIds: readonly string[], signal: AbortSignal): Promise<boolean> => {
    for (const twitchId of twitchIds) {
      if (signal.aborted) return false;
      try {
        await validate(twitchId);
        failures = 0;
      } catch (error) {
        failures += 1;
        log.warn({ twitchId, code: twitchFaultOf(error).code }, 'could not check the token of a person');
        if (failures >= OUTAGE_FAILURES) {
          failures = 0;
          return false;
        }
      }
      after = twitchId;
    }
    return true;
  };

  const pause = (ms: number): number => {
    nextRoundAtMs = steadyMs() + ms;
    return ms;
  };

  return async (signal: AbortSignal): Promise<NextDue> => {
    // Any change may start a round.
    const waitMs = nextRoundAtMs - steadyMs();
    if (waitMs > 0) return waitMs;
    if (after === null) {
      begunAtMs = steadyMs();
      roundEveryMs = Math.max(MIN_ROUND_EVERY_MS, rounds > 0 ? SPREAD_MS / rounds : 0);
      rounds = 0;
      after = '';
    }
    const open = new Set((await watched()).flatMap(({ id, hasOpenRule }) => (hasOpenRule ? [id] : [])));
    const signedIn = await listSignedInLinks(db.read, { after, limit: LINKS_AT_ONCE }, clock.now());
    const due = signedIn.filter((twitchId) => !open.has(twitchId));
    if (!(await validateEach(due, signal))) return pause(RETRY_AFTER_MS);
    rounds += 1;
    after = signedIn.length < LINKS_AT_ONCE ? null : (signedIn.at(-1) ?? null);
    return pause(after === null ? Math.max(0, begunAtMs + CHECK_EVERY_MS - steadyMs()) : roundEveryMs);
  };
}
