import { and, asc, eq, lte } from 'drizzle-orm';
import type { Reader } from '#db/database.ts';
import { is } from '#db/dialect.ts';
import { rewards } from '#db/schema/reward.ts';
import { rules } from '#db/schema/rule.ts';
import { transfers } from '#db/schema/transfer.ts';
import { asksWhatMayEnd } from '#domain/rule/revocable.ts';

export interface ClaimToCheck {
  transferId: string;
  channelId: string;
  twitchId: string;
  /** What Twitch is to be asked about. */
  asks: { follow: boolean; subscriber: boolean };
}

/** A bot's due claims that do not leave the queue before their conditions were checked again, in the queue's order. */
export async function listClaimsToCheck(
  q: Reader,
  { botId }: { botId: string },
  nowMs: number,
): Promise<ClaimToCheck[]> {
  const rows = await q
    .select({
      transferId: transfers.id,
      channelId: rules.channelId,
      twitchId: rewards.twitchId,
      followDays: rules.followDays,
      subscriberTier: rules.subscriberTier,
    })
    .from(transfers)
    .innerJoin(rewards, eq(rewards.id, transfers.rewardId))
    .innerJoin(rules, and(eq(rules.id, rewards.ruleId), asksWhatMayEnd()))
    .where(
      and(
        eq(transfers.botId, botId),
        is(transfers.kind, 'claim'),
        is(transfers.state, 'queued'),
        eq(transfers.cancelWanted, false),
        lte(transfers.runAtMs, nowMs),
      ),
    )
    .orderBy(asc(transfers.runAtMs), asc(transfers.id))
    .limit(500);
  return rows.flatMap(({ twitchId, followDays, subscriberTier, ...claim }) => {
    const asks = { follow: followDays !== null, subscriber: subscriberTier !== null };
    return twitchId ? [{ ...claim, twitchId, asks }] : [];
  });
}
