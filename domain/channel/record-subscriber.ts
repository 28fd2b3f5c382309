import { and, eq } from 'drizzle-orm';
import type { Tx } from '#db/database.ts';
import { subscribers } from '#db/schema/channel.ts';
import type { SubscriberTier } from '#db/schema/rule.ts';

/** One viewer's subscription as reported by Twitch; null: not subscribed. */
export interface SubscriberStatus {
  channelId: string;
  twitchId: string;
  tier: SubscriberTier | null;
}

/** Records one viewer's subscription, bought or gifted. Runs in the caller's transaction. */
export async function recordSubscriber(
  tx: Tx,
  { channelId, twitchId, tier }: SubscriberStatus,
): Promise<void> {
  if (tier === null) {
    await tx
      .delete(subscribers)
      .where(and(eq(subscribers.channelId, channelId), eq(subscribers.twitchId, twitchId)));
    return;
  }
  await tx
    .insert(subscribers)
    .values({ channelId, twitchId, tier })
    .onConflictDoUpdate({
      target: [subscribers.channelId, subscribers.twitchId],
      set: { tier, missedAtMs: null },
    });
}
