import type { Slots } from '#bot/slots.ts';
import type { Database } from '#db/database.ts';
import { type Cursor, listCursors } from '#domain/channel/list-cursors.ts';
import type { WatchedChannel } from '#domain/rule/list-watched-channels.ts';

/** A watched channel, and the place up to which its chat was read. */
export type CursoredChannel = WatchedChannel & Cursor;

interface Known {
  /** The channel as it was then: a stream that begins or returns moves the cursor, and makes another object of it. */
  channel: WatchedChannel;
  /** The epoch of the lease under which it was read: until it is another process's, only this one reads the chat. */
  epoch: number;
  cursored: CursoredChannel | null;
}

/** Remembers the cursors of this process's channels, so that a round reads only those that a reading has moved. */
export function trackCursors({ db, slots }: { db: Database; slots: Pick<Slots, 'leaseOf'> }) {
  let known = new Map<string, Known>();

  const entryOf = (channel: WatchedChannel): Known => {
    const epoch = slots.leaseOf(channel.id)?.epoch ?? Number.NaN;
    const before = known.get(channel.id);
    return before?.channel === channel && before.epoch === epoch
      ? before
      : { channel, epoch, cursored: null };
  };

  return {
    /** Returns these channels with their cursors, and forgets those of all others. */
    async read(channels: readonly WatchedChannel[]): Promise<readonly CursoredChannel[]> {
      const entries = channels.map(entryOf);
      known = new Map(entries.map((entry) => [entry.channel.id, entry]));
      const missing = entries.filter(({ cursored }) => cursored === null);
      const cursors = await listCursors(
        db.read,
        missing.map(({ channel }) => channel.id),
      );
      return entries.flatMap((entry) => {
        if (entry.cursored) return entry.cursored;
        const { channel } = entry;
        const cursor = cursors.get(channel.id);
        if (!cursor) return [];
        const cursored = { ...channel, ...cursor };
        // A reading that ended meanwhile may have moved it.
        if (known.get(channel.id) === entry) entry.cursored = cursored;
        return cursored;
      });
    },
    /** Has a channel's cursor read again, after something that may have moved it. */
    clear: (channelId: string): unknown => known.delete(channelId),
  };
}
