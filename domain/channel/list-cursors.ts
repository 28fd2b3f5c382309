import type { Reader } from '#db/database.ts';
import { isAmong } from '#db/dialect.ts';
import { channels } from '#db/schema/channel.ts';
import type { Shortfall } from '#domain/channel/absence.ts';
import type { Unread } from '#domain/channel/record-reading.ts';

/** The place up to which a channel's chat was read. Unlike a watched channel's other facts it changes with each reading. */
export interface Cursor {
  /** The end of the last interval that was read. Domain time. */
  watchedUntilMs: number | null;
  /** Number of people whom its chat's list lacked when last read. Domain time. */
  shortfall: Shortfall | null;
  /** The reason why its chat could not be read last, and since when. Domain time. */
  unread: Unread | null;
}

/** Lists the cursors of these channels. */
export async function listCursors(
  q: Reader,
  channelIds: readonly string[],
): Promise<ReadonlyMap<string, Cursor>> {
  if (channelIds.length === 0) return new Map();
  const { id, watchedUntilMs, chattersShort, chattersShortSinceMs, unreadReason, unreadSinceMs } = channels;
  const rows = await q
    .select({ id, watchedUntilMs, chattersShort, chattersShortSinceMs, unreadReason, unreadSinceMs })
    .from(channels)
    .where(isAmong(id, channelIds));
  return new Map(
    rows.map((row) => {
      const { chattersShort: short, chattersShortSinceMs: shortMs } = row;
      const { unreadReason: reason, unreadSinceMs: unreadMs } = row;
      const cursor = {
        watchedUntilMs: row.watchedUntilMs,
        shortfall: short === null || shortMs === null ? null : { short, sinceMs: shortMs },
        unread: reason === null || unreadMs === null ? null : { reason, sinceMs: unreadMs },
      };
      return [row.id, cursor];
    }),
  );
}
