import { eq } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { channels, type SubscribersFault } from '#db/schema/channel.ts';

/**
 * Records why Twitch does not report a channel's subscribers, to show the streamer; the next complete list clears it.
 */
export async function recordSubscribersFault(
  database: Database,
  { channelId, fault }: { channelId: string; fault: SubscribersFault },
): Promise<void> {
  await database.transaction(async (tx) => {
    await tx.update(channels).set({ subscribersFault: fault }).where(eq(channels.id, channelId));
  });
}
