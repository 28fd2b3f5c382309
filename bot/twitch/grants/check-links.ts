import type { BotDeps } from '#bot/deps.ts';
import type { ReadWatched } from '#bot/twitch/channel/watched-channels.ts';
import type { TwitchAccess } from '#bot/twitch/grants/twitch-access.ts';
import { twitchFaultOf } from '#bot/twitch/twitch-fault.ts';
import type { NextDue } from '#bot/worker.ts';
import { listLinkedIds } from '#domain/account/twitch/list-linked-ids.ts';
import { listSignedInLinks } from '#domain/account/twitch/list-signed-in-links.ts';
import { hour, minute, second } from '#domain/time.ts';

/** System time. */
const CHECK_EVERY_MS = hour;
const SPREAD_MS = 50 * minute;
const RETRY_AFTER_MS = minute;
const LINKS_AT_ONCE = 20;
/** At most ten tokens a second, whatever their number. */
const MIN_ROUND_EVERY_MS = 2 * second;

type Deps = Pick<BotDeps, 'database' | 'clock' | 'log'> & { watched: ReadWatched } & Pick<
    TwitchAccess,
    'validate'
  >;

/**
 * Asks Twitch at the start and hourly about the token of everyone who is signed in, as it demands of applications that
 * people log in to (dev.twitch.tv/docs/authentication/validate-tokens): whoever disconnected us there is to be signed
 * out. Spread over most of the hour; channels with open rules are checked by themselves.
 */
export function checkLinks({ database, clock, log, watched, validate }: Deps) {
  let after: string | null = null;
  let begunAtMs = Number.NEGATIVE_INFINITY;
  let rounds = 0;
  let roundEveryMs = MIN_ROUND_EVERY_MS;

  const validateEach = async (twitchIds: readonly string[], signal: AbortSignal): Promise<boolean> => {
    for (const twitchId of twitchIds) {
      if (signal.aborted) return false;
      try {
        await validate(twitchId);
      } catch (error) {
        log.warn(
          { code: twitchFaultOf(error).code },
          'could not check the tokens of people who are signed in',
        );
        return false;
      }
      after = twitchId;
    }
    return true;
  };

  return async (signal: AbortSignal): Promise<NextDue> => {
    if (after === null) {
      const dueInMs = begunAtMs + CHECK_EVERY_MS - Date.now();
      if (dueInMs > 0) return dueInMs;
      begunAtMs = Date.now();
      roundEveryMs = Math.max(MIN_ROUND_EVERY_MS, rounds > 0 ? SPREAD_MS / rounds : 0);
      rounds = 0;
      after = '';
    }
    const open = new Set((await watched()).flatMap(({ id, hasOpenRule }) => (hasOpenRule ? [id] : [])));
    const linked = await listLinkedIds(database.read, { after, limit: LINKS_AT_ONCE });
    const signedIn = await listSignedInLinks(database.read, linked, clock.now());
    const due = signedIn.filter((twitchId) => !open.has(twitchId));
    if (!(await validateEach(due, signal))) return RETRY_AFTER_MS;
    rounds += 1;
    after = linked.length < LINKS_AT_ONCE ? null : (linked.at(-1) ?? null);
    return after === null ? Math.max(0, begunAtMs + CHECK_EVERY_MS - Date.now()) : roundEveryMs;
  };
}
