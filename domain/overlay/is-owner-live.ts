import { eq } from 'drizzle-orm';
import type { Reader } from '#db/database.ts';
import { twitchAccounts } from '#db/schema/account.ts';
import { channels } from '#db/schema/channel.ts';

/** Returns whether a streamer's own channel is live. */
export async function isOwnerLive(q: Reader, userId: string): Promise<boolean> {
  const [channel] = await q
    .select({ live: channels.live })
    .from(twitchAccounts)
    .innerJoin(channels, eq(channels.id, twitchAccounts.twitchId))
    .where(eq(twitchAccounts.userId, userId));
  return channel?.live ?? false;
}
