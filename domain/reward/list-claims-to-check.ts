import { and, asc, eq, isNotNull, lte } from 'drizzle-orm';
import type { Reader } from '#db/database.ts';
import { is } from '#db/dialect.ts';
import { rewards } from '#db/schema/reward.ts';
import { rules } from '#db/schema/rule.ts';
import { transfers } from '#db/schema/transfer.ts';

export interface ClaimToCheck {
  transferId: string;
  channelId: string;
  twitchId: string;
}

/** A bot's due claims that do not leave the queue before their conditions were checked again, in the queue's order. */
export async function listClaimsToCheck(
  q: Reader,
  { botId }: { botId: string },
  nowMs: number,
): Promise<ClaimToCheck[]> {
  const rows = await q
    .select({ transferId: transfers.id, channelId: rules.channelId, twitchId: rewards.twitchId })
    .from(transfers)
    .innerJoin(rewards, eq(rewards.id, transfers.rewardId))
    .innerJoin(rules, and(eq(rules.id, rewards.ruleId), isNotNull(rules.followDays)))
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
  return rows.flatMap(({ twitchId, ...claim }) => (twitchId ? [{ ...claim, twitchId }] : []));
}
