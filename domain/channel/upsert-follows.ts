import { sql } from 'drizzle-orm';
import type { Tx } from '#db/database.ts';
import { bigint, rowsOf } from '#db/dialect.ts';
import { follows } from '#db/schema/channel.ts';

/** A follower of a channel, as reported by Twitch. */
export interface Follower {
  twitchId: string;
  followedAtMs: number;
}

/** Writes followers in one statement, with the time as of which Twitch listed them. Runs in the caller's transaction. */
export async function upsertFollows(
  tx: Tx,
  { channelId, followers, seenAtMs }: { channelId: string; followers: readonly Follower[]; seenAtMs: number },
): Promise<void> {
  if (followers.length === 0) return;
  // A viewer who follows during paging can appear twice.
  const rows = [...new Map(followers.map((each) => [each.twitchId, each.followedAtMs]))];
  const source = rowsOf(rows, { twitch_id: 'text', followed_at: 'bigint' }, 'f');
  await tx
    .insert(follows)
    .select(
      sql`select cast(${channelId} as text), f.twitch_id, f.followed_at, ${bigint(seenAtMs)} from ${source} where true` as never,
    )
    .onConflictDoUpdate({
      target: [follows.channelId, follows.twitchId],
      set: {
        // A page read before an event came is older than it.
        followedAtMs: sql`case when excluded.seen_at_ms >= ${follows.seenAtMs} then excluded.followed_at_ms else ${follows.followedAtMs} end`,
        seenAtMs: sql`case when excluded.seen_at_ms > ${follows.seenAtMs} then excluded.seen_at_ms else ${follows.seenAtMs} end`,
      },
    });
}
