import { and, eq, notInArray, sql } from 'drizzle-orm';
import type { Database, Tx } from '#db/database.ts';
import { rowsOf } from '#db/dialect.ts';
import { channels, follows } from '#db/schema/channel.ts';
import { channelLock } from '#domain/locks.ts';
import { recordListed } from './count-day.ts';

/** A follower of a channel, as reported by Twitch. */
export interface Follower {
  twitchId: string;
  followedAtMs: number;
}

/**
 * Records followers of a channel in one statement. A `complete` list, whose reading began at `readAtMs`, also deletes
 * followers missing from it and is the day's number of them; a partial list (an event, a page) only adds.
 */
export async function recordFollows(
  database: Database,
  {
    channelId,
    followers,
    ...list
  }: { channelId: string; followers: readonly Follower[] } & (
    | { complete: true; readAtMs: number }
    | { complete: false }
  ),
): Promise<void> {
  // A viewer who follows during paging can appear on two pages.
  const rows = [...new Map(followers.map((each) => [each.twitchId, each.followedAtMs]))];
  const source = rowsOf(rows, { twitch_id: 'text', followed_at: 'bigint' }, 'f');
  const record = async (tx: Tx): Promise<void> => {
    if (list.complete) {
      await tx.update(channels).set({ followsReadAtMs: list.readAtMs }).where(eq(channels.id, channelId));
      await recordListed(tx, { channelId, atMs: list.readAtMs, followers: rows.length });
      await tx
        .delete(follows)
        .where(
          and(
            eq(follows.channelId, channelId),
            notInArray(follows.twitchId, sql`(select f.twitch_id from ${source})`),
          ),
        );
    }
    await tx
      .insert(follows)
      .select(
        sql`select cast(${channelId} as text), f.twitch_id, f.followed_at from ${source} where true` as never,
      )
      .onConflictDoUpdate({
        target: [follows.channelId, follows.twitchId],
        set: { followedAtMs: sql`excluded.followed_at_ms` },
      });
  };
  // Followers recorded after the reading began must not be deleted by it.
  await database.transaction(record, { lock: channelLock(channelId) });
}
