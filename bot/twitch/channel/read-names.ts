import type { BotDeps } from '#bot/deps.ts';
import type { TwitchApi } from '#bot/twitch/api.ts';
import { twitchFaultOf } from '#bot/twitch/twitch-fault.ts';
import type { NextDue } from '#bot/worker.ts';
import { listLinkedIds } from '#domain/account/twitch/list-linked-ids.ts';
import { recordNames } from '#domain/channel/record-names.ts';
import { hour, minute } from '#domain/time.ts';

/** System time. */
const READ_EVERY_MS = hour;
const RETRY_AFTER_MS = minute;
/** One call of Get Users; each round makes one, so that the application's points are left for streams. */
const PEOPLE_AT_ONCE = 100;

/**
 * Reads once an hour what everyone who connected Twitch is called there today, a hundred people a round: lists show
 * viewers by that name. Those who no longer exist on Twitch keep their last one.
 */
export function readNames({
  database,
  log,
  api,
}: Pick<BotDeps, 'database' | 'log'> & { api: Pick<TwitchApi, 'peopleOf'> }) {
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
