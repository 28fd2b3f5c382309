import { and, asc, eq, lte, notExists } from 'drizzle-orm';
import type { Reader } from '#db/database.ts';
import { is } from '#db/dialect.ts';
import { customRewards, redemptions } from '#db/schema/redemption.ts';
import { rewards } from '#db/schema/reward.ts';
import { rules } from '#db/schema/rule.ts';
import { transfers } from '#db/schema/transfer.ts';
import { asksFor } from '#domain/condition/condition.ts';
import {
  type Conditions,
  conditionColumns,
  hasRevocableCondition,
  type ListedCondition,
  listedConditions,
} from '#domain/condition/conditions.ts';
import { unclearItem } from '#domain/transfer/hold-back.ts';
import { notFrozen } from '#domain/transfer/not-frozen.ts';
import { underWay } from '#domain/transfer/under-way.ts';

export interface ClaimToCheck {
  transferId: string;
  channelId: string;
  twitchId: string;
  /** The facts that Twitch must be asked for. */
  checks: Record<ListedCondition['revocable'], boolean> & {
    /** The open redemption the reward was promised for, if any. */
    redemption: { id: string; twitchRewardId: string } | null;
  };
}

/**
 * Lists the bot's due claims whose conditions must be rechecked before sending, in queue order. A claim that waits for the
 * operator, or is frozen, is checked when it goes on.
 */
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
      ...conditionColumns,
      redemptionId: redemptions.id,
      twitchRewardId: customRewards.twitchRewardId,
    })
    .from(transfers)
    .innerJoin(rewards, eq(rewards.id, transfers.rewardId))
    .innerJoin(rules, and(eq(rules.id, rewards.ruleId), hasRevocableCondition()))
    .leftJoin(redemptions, and(eq(redemptions.rewardId, rewards.id), is(redemptions.state, 'open')))
    .leftJoin(customRewards, eq(customRewards.ruleId, redemptions.ruleId))
    .where(
      and(
        eq(transfers.botId, botId),
        is(transfers.kind, 'claim'),
        underWay(['queued']),
        eq(transfers.cancelWanted, false),
        lte(transfers.runAtMs, nowMs),
        notExists(unclearItem(q)),
        notFrozen(q),
      ),
    )
    .orderBy(asc(transfers.runAtMs), asc(transfers.id))
    .limit(500);
  return rows.flatMap(({ transferId, channelId, twitchId, redemptionId, twitchRewardId, ...asked }) => {
    const checks = {
      ...readingsAskedFor(asked),
      redemption: redemptionId && twitchRewardId ? { id: redemptionId, twitchRewardId } : null,
    };
    return twitchId ? [{ transferId, channelId, twitchId, checks }] : [];
  });
}

const readingsAskedFor = (rule: Conditions) =>
  Object.fromEntries(
    listedConditions.map((condition) => [condition.revocable, asksFor(rule, condition)]),
  ) as Record<ListedCondition['revocable'], boolean>;
