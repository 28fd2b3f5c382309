import { and, eq } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { twitchAccounts } from '#db/schema/account.ts';
import { subscribers } from '#db/schema/channel.ts';
import { rules, type SubscriberTier } from '#db/schema/rule.ts';
import { recordSubscriber } from '#domain/channel/record-subscriber.ts';
import { channelLock } from '#domain/kernel/locks.ts';
import { serveInRounds } from '#domain/reward/serve-waiting.ts';
import { qualify } from '#domain/rule/qualify.ts';

/** A subscription that began, continued or ended; with a tier of null it ended, whatever it was. */
export type SubscriptionEvent = {
  channelId: string;
  twitchId: string;
} & ({ tier: SubscriberTier; ended: boolean } | { tier: null; ended: true });

/**
 * Records a subscription event and evaluates the viewer immediately. The end of a tier other than the stored one
 * belongs to a tier change and ends nothing. Returns the number of new qualifications.
 */
export async function handleSubscriptionEvent(
  db: Database,
  event: SubscriptionEvent,
  nowMs: number,
): Promise<number> {
  const { channelId, twitchId, tier } = event;
  const { qualified, left } = await db.transaction(
    async (tx) => {
      if (!event.ended) {
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
            tier === null ? undefined : eq(subscribers.tier, tier),
          ),
        );
      return { qualified: 0, left: [] };
    },
    { lock: channelLock(channelId) },
  );
  await serveInRounds(db, channelId, left, nowMs);
  return qualified;
}
