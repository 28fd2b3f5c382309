import type { BotDeps } from '#bot/deps.ts';
import type { TwitchApi } from '#bot/twitch/api.ts';
import type { ReadWatched } from '#bot/twitch/channel/watched-channels.ts';
import { twitchFaultOf } from '#bot/twitch/twitch-fault.ts';
import type { NextDue } from '#bot/worker.ts';
import { recordNames } from '#domain/channel/record-names.ts';
import { hour, minute } from '#domain/kernel/time.ts';
import type { WatchedChannel } from '#domain/rule/list-watched-channels.ts';
import { recordBroadcasterTypes } from '#domain/rule/record-broadcaster-types.ts';
import { steadyMs } from '#platform/steady-time.ts';

/** Steady time. */
const READ_EVERY_MS = hour;
const RETRY_AFTER_MS = minute;

type Deps = Pick<BotDeps, 'db' | 'clock' | 'log'> & {
  api: Pick<TwitchApi, 'peopleOf'>;
  watched: ReadWatched;
};

/**
 * Reads the watched channels' names and types: hourly, and at once when a rule first needs what only
 * affiliates and partners have. The names of live channels are also read with their streams.
 */
export function readBroadcasters({ db, clock, log, api, watched }: Deps) {
  let readAllAtMs = Number.NEGATIVE_INFINITY;
  let retryAtMs = 0;
  /** Channels whose type was read since a rule first needed it. */
  let typed = new Set<string>();
  return async (): Promise<NextDue> => {
    const nowMs = steadyMs();
    if (nowMs < retryAtMs) return retryAtMs - nowMs;
    const channels = await watched();
    const isDue = nowMs - readAllAtMs >= READ_EVERY_MS;
    const due = channels.filter((channel) => isDue || (needsType(channel) && !typed.has(channel.id)));
    try {
      const people = await api.peopleOf(due.map(({ id }) => id));
      const renamed = await recordNames(db, people);
      if (renamed > 0) log.info({ renamed }, 'channels were renamed');
      await recordBroadcasterTypes(db, people, clock.now());
    } catch (error) {
      const fault = twitchFaultOf(error);
      log.warn({ code: fault.code, err: fault }, "could not read the channels' names and types");
      retryAtMs = nowMs + RETRY_AFTER_MS;
      return RETRY_AFTER_MS;
    }
    if (isDue) readAllAtMs = nowMs;
    typed = new Set(channels.filter(needsType).map(({ id }) => id));
    return readAllAtMs + READ_EVERY_MS - steadyMs();
  };
}

const needsType = ({ needs }: WatchedChannel): boolean => needs.subscriber || needs.points;
