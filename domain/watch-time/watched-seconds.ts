import { and, eq } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { watchTimes } from '#db/schema/channel.ts';

/** Returns the total time a Twitch user has watched on a channel. */
export async function watchedSeconds(
  database: Database,
  { channelId, twitchId }: { channelId: string; twitchId: string },
): Promise<number> {
  const [row] = await database.read
    .select({ seconds: watchTimes.seconds })
    .from(watchTimes)
    .where(and(eq(watchTimes.channelId, channelId), eq(watchTimes.twitchId, twitchId)));
  return row?.seconds ?? 0;
}
