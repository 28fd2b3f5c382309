import { and, eq } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { twitchAccounts } from '#db/schema/account.ts';
import { subscribers } from '#db/schema/channel.ts';
import { rules, type SubscriberTier } from '#db/schema/rule.ts';
import { channelLock } from '#domain/reward/serve-waiting.ts';
import { qualify } from '#domain/rule/qualify.ts';
import { recordSubscriber } from './record-subscriber.ts';

/** One subscription that began, goes on or ended, as an event tells it. */
export interface SubscriptionEvent {
  channelId: string;
  twitchId: string;
  tier: SubscriberTier;
  ended: boolean;
}

/**
 * Records what an event said and evaluates the viewer at once: whoever subscribes now may meet a rule now. The end of
 * another tier than the one that is known belongs to a change of tiers and ends nothing. Returns the new qualifications.
 */
export async function handleSubscriptionEvent(
  database: Database,
  { channelId, twitchId, tier, ended }: SubscriptionEvent,
  nowMs: number,
): Promise<number> {
  return database.transaction(
    async (tx) => {
      if (!ended) {
        await recordSubscriber(tx, { channelId, twitchId, tier });
        const among = eq(twitchAccounts.twitchId, twitchId);
        return qualify(tx, { rules: eq(rules.channelId, channelId), among }, nowMs);
      }
      await tx
        .delete(subscribers)
        .where(
          and(
            eq(subscribers.channelId, channelId),
            eq(subscribers.twitchId, twitchId),
            eq(subscribers.tier, tier),
          ),
        );
      return 0;
    },
    { lock: channelLock(channelId) },
  );
}
