import type { Database } from '#db/database.ts';
import { endingOf, listChannelChanges } from '#domain/rule/list-channel-changes.ts';
import { listWatchedChannels, type WatchedChannel } from '#domain/rule/list-watched-channels.ts';

export type ReadWatched = () => Promise<readonly WatchedChannel[]>;

interface Known {
  changes: ReadonlyMap<string, number>;
  channels: readonly WatchedChannel[];
}

/**
 * Reads the watched channels, cached for all callers. After a commit it only looks at the counts of their changes, and
 * reads those whose count has moved: with ten thousand channels a hundred. Channels that did not change stay the same
 * objects.
 */
export function watchedChannelsOf(db: Database): ReadWatched {
  let known: Known | null = null;
  let upToDate: { revision: string; channels: Promise<readonly WatchedChannel[]> } | null = null;
  let last: Promise<unknown> = Promise.resolve();

  const readOn = async (): Promise<readonly WatchedChannel[]> => {
    // A change between these two readings is counted later, and read the next time.
    const changes = await listChannelChanges(db.read);
    if (known === null) known = { changes, channels: await listWatchedChannels(db.read) };
    const { changes: before, channels } = known;
    const moved = new Set(
      [...changes].flatMap(([ending, count]) => (before.get(ending) === count ? [] : ending)),
    );
    if (moved.size > 0) {
      const read = await listWatchedChannels(db.read, [...moved]);
      const others = channels.filter(({ id }) => !moved.has(endingOf(id)));
      known = { changes, channels: [...others, ...read].sort(byId) };
    }
    return known.channels;
  };

  return async () => {
    const revision = await db.revision();
    if (upToDate?.revision === revision) return upToDate.channels;
    const channels = last.then(readOn, readOn);
    last = channels;
    const current = { revision, channels };
    upToDate = current;
    // A failed reading is not cached.
    channels.catch(() => {
      if (upToDate === current) upToDate = null;
    });
    return channels;
  };
}

const byId = (one: WatchedChannel, other: WatchedChannel): number => (one.id < other.id ? -1 : 1);
