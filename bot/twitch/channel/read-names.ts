import type { BotDeps } from '#bot/deps.ts';
import type { TwitchApi } from '#bot/twitch/api.ts';
import { twitchFaultOf } from '#bot/twitch/twitch-fault.ts';
import type { NextDue } from '#bot/worker.ts';
import { listLinkedIds } from '#domain/account/twitch/list-linked-ids.ts';
import { recordMissingAccount } from '#domain/account/twitch/record-missing-account.ts';
import { recordShownAccounts } from '#domain/account/twitch/record-shown-accounts.ts';
import { recordNames } from '#domain/channel/record-names.ts';
import { hour, minute } from '#domain/kernel/time.ts';
import { steadyMs } from '#platform/steady-time.ts';

/** Steady time. */
const READ_EVERY_MS = hour;
const RETRY_AFTER_MS = minute;
/**
 * Two readings that do not show an account are at least this far apart, because a fault of Twitch's may last
 * a while.
 */
const READINGS_APART_MS = hour / 2;
/** One call of Get Users; each round makes one, so that the application's points are left for streams. */
const PEOPLE_AT_ONCE = 100;

/**
 * Reads once an hour the present names of everyone who connected Twitch, a hundred people a round, because
 * lists show viewers by name. An account that two such readings do not show is missing: it is suspended or
 * deleted. It keeps its last name, and the rules on its channel pause until Twitch shows it again.
 */
export function readNames({
  db,
  clock,
  log,
  api,
}: Pick<BotDeps, 'db' | 'clock' | 'log'> & { api: Pick<TwitchApi, 'peopleOf'> }) {
  const missing = trackMissing({ db, clock, log });
  let after = '';
  let begunAtMs = 0;
  let nextRoundAtMs = 0;
  return async (): Promise<NextDue> => {
    // Any change may start a round.
    const waitMs = nextRoundAtMs - steadyMs();
    if (waitMs > 0) return waitMs;
    if (after === '') begunAtMs = steadyMs();
    const twitchIds = await listLinkedIds(db.read, { after, limit: PEOPLE_AT_ONCE });
    try {
      const people = await api.peopleOf(twitchIds);
      const renamed = await recordNames(db, people);
      if (renamed > 0) log.info({ renamed }, 'people were renamed on Twitch');
      await missing.record(twitchIds, new Set(people.map(({ twitchId }) => twitchId)));
    } catch (error) {
      const fault = twitchFaultOf(error);
      log.warn({ code: fault.code, err: fault }, 'could not read the names of people who connected Twitch');
      nextRoundAtMs = steadyMs() + RETRY_AFTER_MS;
      return RETRY_AFTER_MS;
    }
    after = twitchIds.length < PEOPLE_AT_ONCE ? '' : (twitchIds.at(-1) ?? '');
    if (after !== '') return 0;
    nextRoundAtMs = begunAtMs + READ_EVERY_MS;
    return nextRoundAtMs - steadyMs();
  };
}

/** Distinguishes accounts that Twitch no longer shows from those that a single answer left out. */
function trackMissing({ db, clock, log }: Pick<BotDeps, 'db' | 'clock' | 'log'>) {
  /**
   * Accounts that the last reading did not show: the time since when (steady time), and whether that is
   * recorded.
   */
  const unseen = new Map<string, { sinceMs: number; isRecorded: boolean }>();
  return {
    async record(asked: readonly string[], shown: ReadonlySet<string>): Promise<void> {
      for (const twitchId of asked) {
        if (shown.has(twitchId)) {
          unseen.delete(twitchId);
          continue;
        }
        const gone = unseen.get(twitchId) ?? { sinceMs: steadyMs(), isRecorded: false };
        unseen.set(twitchId, gone);
        if (gone.isRecorded || steadyMs() - gone.sinceMs < READINGS_APART_MS) continue;
        if (await recordMissingAccount(db, { twitchId }, clock.now()))
          log.warn({ twitchId }, 'Twitch shows no such account any more; rules on its channel are paused');
        gone.isRecorded = true;
      }
      const back = await recordShownAccounts(db, [...shown], clock.now());
      if (back > 0) log.info({ back }, 'Twitch shows accounts again that were missing');
    },
  };
}
