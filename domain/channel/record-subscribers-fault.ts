import { eq } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { channels, type SubscribersFault } from '#db/schema/channel.ts';

/** Notes why Twitch does not tell a channel's subscribers, so that its streamer can be told; the next list clears it. */
export async function recordSubscribersFault(
  database: Database,
  { channelId, fault }: { channelId: string; fault: SubscribersFault },
): Promise<void> {
  await database.transaction(async (tx) => {
    await tx.update(channels).set({ subscribersFault: fault }).where(eq(channels.id, channelId));
  });
}
