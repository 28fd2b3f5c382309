import { eq, inArray, sql } from 'drizzle-orm';
import type { Database, Tx } from '#db/database.ts';
import { bigint, rowsOf } from '#db/dialect.ts';
import { twitchAccounts } from '#db/schema/account.ts';
import { follows } from '#db/schema/channel.ts';
import { rules } from '#db/schema/rule.ts';
import { channelLock } from '#domain/locks.ts';
import { serveInRounds } from '#domain/reward/serve-waiting.ts';
import { qualify } from '#domain/rule/qualify.ts';

/** A follower of a channel, as reported by Twitch. */
export interface Follower {
  twitchId: string;
  followedAtMs: number;
}

/** Records followers that Twitch reported apart from its list. They are too recent to meet a rule. */
export async function recordFollows(
  database: Database,
  reported: { channelId: string; followers: readonly Follower[] },
  nowMs: number,
): Promise<void> {
  await database.transaction((tx) => upsertFollows(tx, { ...reported, seenAtMs: nowMs }));
}

/** Records followers that Twitch was asked about, and evaluates them. Returns the number of new qualifications. */
export async function recordAskedFollows(
  database: Database,
  { channelId, followers }: { channelId: string; followers: readonly Follower[] },
  nowMs: number,
): Promise<number> {
  if (followers.length === 0) return 0;
  const ids = followers.map(({ twitchId }) => twitchId);
  const { qualified, left } = await database.transaction(
    async (tx) => {
      await upsertFollows(tx, { channelId, followers, seenAtMs: nowMs });
      const among = inArray(twitchAccounts.twitchId, ids);
      return qualify(tx, { rules: eq(rules.channelId, channelId), among }, nowMs);
    },
    { lock: channelLock(channelId) },
  );
  await serveInRounds(database, channelId, left, nowMs);
  return qualified;
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
