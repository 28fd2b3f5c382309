import type { BotDeps } from '#bot/deps.ts';
import type { TwitchApi } from '#bot/twitch/api.ts';
import type { ReadWatched } from '#bot/twitch/channel/watched-channels.ts';
import { twitchFaultOf } from '#bot/twitch/twitch-fault.ts';
import { recordNames } from '#domain/channel/record-names.ts';

type Deps = Pick<BotDeps, 'database' | 'log'> & { api: Pick<TwitchApi, 'namesOf'>; watched: ReadWatched };

/** Reads today's names of the watched channels. Those of live ones are also read with their streams. */
export function readNames({ database, log, api, watched }: Deps) {
  return async (): Promise<void> => {
    const ids = (await watched()).map(({ id }) => id);
    const names = await api.namesOf(ids).catch((error) => {
      log.warn({ code: twitchFaultOf(error).code, err: error }, "could not read the channels' names");
      return [];
    });
    const renamed = await recordNames(database, names);
    if (renamed > 0) log.info({ renamed }, 'channels were renamed');
  };
}
