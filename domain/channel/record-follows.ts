import { and, eq, notInArray, sql } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { rowsOf } from '#db/dialect.ts';
import { follows } from '#db/schema/channel.ts';

/** One follower of a channel, as Twitch tells it. */
export interface Follower {
  twitchId: string;
  followedAtMs: number;
}

/**
 * Records followers of a channel in one statement. A `complete` list also forgets who is not in it any more; part of
 * one (an event, a page) only adds.
 */
export async function recordFollows(
  database: Database,
  {
    channelId,
    followers,
    complete,
  }: { channelId: string; followers: readonly Follower[]; complete: boolean },
): Promise<void> {
  // Whoever follows while the pages of the list are read stands on two of them.
  const rows = [...new Map(followers.map((each) => [each.twitchId, each.followedAtMs]))];
  const source = rowsOf(rows, { twitch_id: 'text', followed_at: 'bigint' }, 'f');
  await database.transaction(async (tx) => {
    if (complete)
      await tx
        .delete(follows)
        .where(
          and(
            eq(follows.channelId, channelId),
            notInArray(follows.twitchId, sql`(select f.twitch_id from ${source})`),
          ),
        );
    await tx
      .insert(follows)
      .select(
        sql`select cast(${channelId} as text), f.twitch_id, f.followed_at from ${source} where true` as never,
      )
      .onConflictDoUpdate({
        target: [follows.channelId, follows.twitchId],
        set: { followedAtMs: sql`excluded.followed_at_ms` },
      });
  });
}
