import { and, eq } from 'drizzle-orm';
import type { Tx } from '#db/database.ts';
import { follows } from '#db/schema/channel.ts';

/** Records one viewer's follow as reported by Twitch; null: not following. Runs in the caller's transaction. */
export async function recordFollow(
  tx: Tx,
  { channelId, twitchId, followedAtMs }: { channelId: string; twitchId: string; followedAtMs: number | null },
): Promise<void> {
  if (followedAtMs === null) {
    await tx.delete(follows).where(and(eq(follows.channelId, channelId), eq(follows.twitchId, twitchId)));
    return;
  }
  await tx
    .insert(follows)
    .values({ channelId, twitchId, followedAtMs })
    .onConflictDoUpdate({ target: [follows.channelId, follows.twitchId], set: { followedAtMs } });
}
