import { and, eq } from 'drizzle-orm';
import type { Tx } from '#db/database.ts';
import { follows } from '#db/schema/channel.ts';
import { upsertFollows } from '#domain/channel/upsert-follows.ts';

/** Records one viewer's follow as reported by Twitch; null: not following. Runs in the caller's transaction. */
export async function recordFollow(
  tx: Tx,
  { channelId, twitchId, followedAtMs }: { channelId: string; twitchId: string; followedAtMs: number | null },
  nowMs: number,
): Promise<void> {
  if (followedAtMs === null) {
    await tx.delete(follows).where(and(eq(follows.channelId, channelId), eq(follows.twitchId, twitchId)));
    return;
  }
  await upsertFollows(tx, { channelId, followers: [{ twitchId, followedAtMs }], seenAtMs: nowMs });
}
