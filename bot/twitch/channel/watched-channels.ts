import type { Database } from '#db/database.ts';
import { listWatchedChannels, type WatchedChannel } from '#domain/rule/list-watched-channels.ts';

export type ReadWatched = () => Promise<readonly WatchedChannel[]>;

/** Reads the watched channels, cached for all callers until something is committed. */
export function watchedChannelsOf(db: Database): ReadWatched {
  let known: { revision: string; channels: Promise<readonly WatchedChannel[]> } | null = null;
  return async () => {
    const revision = await db.revision();
    if (known?.revision !== revision) known = { revision, channels: listWatchedChannels(db.read) };
    const { channels } = known;
    // A failed reading is not cached.
    channels.catch(() => {
      if (known?.channels === channels) known = null;
    });
    return channels;
  };
}
