import { and, eq, lte } from 'drizzle-orm';
import type { Tx } from '#db/database.ts';
import { follows } from '#db/schema/channel.ts';
import { upsertFollows } from '#domain/channel/upsert-follows.ts';

/**
 * Records one viewer's follow as Twitch answered when it was asked at `askedAtMs`; null: not following, which
 * undoes nothing that was reported later. Domain time. Runs in the caller's transaction.
 */
export async function recordFollow(
  tx: Tx,
  { channelId, twitchId, followedAtMs }: { channelId: string; twitchId: string; followedAtMs: number | null },
  askedAtMs: number,
): Promise<void> {
  if (followedAtMs === null) {
    const own = and(eq(follows.channelId, channelId), eq(follows.twitchId, twitchId));
    await tx.delete(follows).where(and(own, lte(follows.seenAtMs, askedAtMs)));
    return;
  }
  await upsertFollows(tx, { channelId, followers: [{ twitchId, followedAtMs }], seenAtMs: askedAtMs });
}
