import type { BotDeps } from '#bot/deps.ts';
import type { TwitchApi } from '#bot/twitch/api.ts';
import { twitchFaultOf } from '#bot/twitch/twitch-fault.ts';
import type { NextDue } from '#bot/worker.ts';
import { listLinkedIds } from '#domain/account/twitch/list-linked-ids.ts';
import { recordMissingAccount } from '#domain/account/twitch/record-missing-account.ts';
import { recordShownAccounts } from '#domain/account/twitch/record-shown-accounts.ts';
import { recordNames } from '#domain/channel/record-names.ts';
import { hour, minute } from '#domain/time.ts';

/** System time. */
const READ_EVERY_MS = hour;
const RETRY_AFTER_MS = minute;
/** One call of Get Users; each round makes one, so that the application's points are left for streams. */
const PEOPLE_AT_ONCE = 100;

/**
 * Reads once an hour what everyone who connected Twitch is called there today, a hundred people a round: lists show
 * viewers by that name. An account that two such readings do not show is missing: it is suspended or deleted. It keeps
 * its last name, and the rules on its channel pause until Twitch shows it again.
 */
export function readNames({
  database,
  clock,
  log,
  api,
}: Pick<BotDeps, 'database' | 'clock' | 'log'> & { api: Pick<TwitchApi, 'peopleOf'> }) {
  const missing = trackMissing({ database, clock, log });
  let after = '';
  let begunAtMs = Number.NEGATIVE_INFINITY;
  return async (): Promise<NextDue> => {
    const nowMs = Date.now();
    if (after === '') {
      const dueInMs = begunAtMs + READ_EVERY_MS - nowMs;
      if (dueInMs > 0) return dueInMs;
      begunAtMs = nowMs;
    }
    const twitchIds = await listLinkedIds(database.read, { after, limit: PEOPLE_AT_ONCE });
    try {
      const people = await api.peopleOf(twitchIds);
      const renamed = await recordNames(database, people);
      if (renamed > 0) log.info({ renamed }, 'people were renamed on Twitch');
      await missing.record(twitchIds, new Set(people.map(({ twitchId }) => twitchId)));
    } catch (error) {
      if (after === '') begunAtMs = Number.NEGATIVE_INFINITY;
      const fault = twitchFaultOf(error);
      log.warn({ code: fault.code, err: fault }, 'could not read the names of people who connected Twitch');
      return RETRY_AFTER_MS;
    }
    after = twitchIds.length < PEOPLE_AT_ONCE ? '' : (twitchIds.at(-1) ?? '');
    return after === '' ? begunAtMs + READ_EVERY_MS - Date.now() : 0;
  };
}

/** Tells accounts that Twitch no longer shows from those that one answer left out. */
function trackMissing({ database, clock, log }: Pick<BotDeps, 'database' | 'clock' | 'log'>) {
  /** The accounts that the last reading did not show, and whether they are recorded as missing. */
  const unseen = new Map<string, { isRecorded: boolean }>();
  return {
    async record(asked: readonly string[], shown: ReadonlySet<string>): Promise<void> {
      for (const twitchId of asked) {
        const before = unseen.get(twitchId);
        if (shown.has(twitchId)) unseen.delete(twitchId);
        else unseen.set(twitchId, { isRecorded: before !== undefined });
        if (shown.has(twitchId) || !before || before.isRecorded) continue;
        if (await recordMissingAccount(database, { twitchId }, clock.now()))
          log.warn({ twitchId }, 'Twitch shows no such account any more; rules on its channel are paused');
      }
      const back = await recordShownAccounts(database, [...shown], clock.now());
      if (back > 0) log.info({ back }, 'Twitch shows accounts again that were missing');
    },
  };
}
