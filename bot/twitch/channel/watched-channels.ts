import type { Database } from '#db/database.ts';
import { listWatchedChannels, type WatchedChannel } from '#domain/channel/list-watched-channels.ts';

export type ReadWatched = () => Promise<readonly WatchedChannel[]>;

/** Reads the watched channels as they stand: once for all who ask, until something is committed. */
export function watchedChannelsOf(database: Database): ReadWatched {
  let known: { revision: string; channels: Promise<readonly WatchedChannel[]> } | null = null;
  return async () => {
    const revision = await database.revision();
    if (known?.revision !== revision) known = { revision, channels: listWatchedChannels(database.read) };
    const { channels } = known;
    // A reading that failed is nobody's answer but that of those who waited for it.
    channels.catch(() => {
      if (known?.channels === channels) known = null;
    });
    return channels;
  };
}
