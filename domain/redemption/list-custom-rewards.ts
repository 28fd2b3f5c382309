import { and, asc, eq, inArray, isNull, lte, type SQL, sql } from 'drizzle-orm';
import type { Reader } from '#db/database.ts';
import { is, within } from '#db/dialect.ts';
import { twitchAccounts } from '#db/schema/account.ts';
import { channels } from '#db/schema/channel.ts';
import { items } from '#db/schema/item.ts';
import {
  type CustomRewardFault,
  type CustomRewardState,
  customRewards,
  liveCustomRewardStates,
  redemptions,
} from '#db/schema/redemption.ts';
import { rewards } from '#db/schema/reward.ts';
import { liveRuleStates, rules } from '#db/schema/rule.ts';
import { channelPoints } from '#domain/condition/channel-points.ts';
import { asksInSql } from '#domain/condition/condition.ts';
import { hasStoredCondition } from '#domain/condition/conditions.ts';
import { available } from '#domain/item/available.ts';
import { desiredCustomReward } from '#domain/redemption/desired-custom-reward.ts';

/** A rule's custom reward: its last confirmed state and the desired one. */
export interface RuleCustomReward {
  ruleId: string;
  channelId: string;
  ruleName: string;
  cost: number;
  /** True if the rule has conditions besides the points. */
  asksMore: boolean;
  twitchRewardId: string | null;
  /** Null before creation has begun. */
  state: CustomRewardState | null;
  fault: CustomRewardFault | null;
  desired: CustomRewardState;
}

/**
 * Lists custom rewards that are not deleted, on channels with a connected grant. Rewards Twitch refused recently are
 * skipped until their retry time.
 */
export async function listCustomRewards(
  q: Reader,
  nowMs: number,
  systemMs: number,
): Promise<RuleCustomReward[]> {
  const rows = await q
    .select({
      ruleId: rules.id,
      channelId: rules.channelId,
      ruleName: rules.name,
      cost: rules[channelPoints.column],
      asksMore: hasStoredCondition.mapWith(Boolean),
      twitchRewardId: customRewards.twitchRewardId,
      state: customRewards.state,
      fault: customRewards.fault,
      ruleState: rules.state,
      live: channels.live,
      freeRewards: freeRewardsNow(nowMs),
      openRedemptions,
    })
    .from(rules)
    .leftJoin(customRewards, eq(customRewards.ruleId, rules.id))
    .innerJoin(channels, eq(channels.id, rules.channelId))
    .innerJoin(
      twitchAccounts,
      and(eq(twitchAccounts.twitchId, rules.channelId), is(twitchAccounts.state, 'connected')),
    )
    .where(and(inArray(rules.id, rulesToLookAfter(q, systemMs)), asksInSql(channelPoints)))
    .orderBy(asc(rules.channelId), asc(rules.id));
  return rows.map(({ ruleState, live, freeRewards, openRedemptions: open, cost, ...row }) => ({
    ...row,
    cost: cost ?? 0,
    desired: desiredCustomReward({ ruleState, live, freeRewards, openRedemptions: open }),
  }));
}

/**
 * Selects rules with a live custom reward that may be retried, and rules that still need one, without ever
 * scanning closed rules.
 */
const rulesToLookAfter = (q: Reader, systemMs: number) =>
  q
    .select({ id: customRewards.ruleId })
    .from(customRewards)
    .where(and(within(customRewards.state, liveCustomRewardStates), lte(customRewards.retryAtMs, systemMs)))
    .unionAll(
      q
        .select({ id: rules.id })
        .from(rules)
        .leftJoin(customRewards, eq(customRewards.ruleId, rules.id))
        .where(
          and(within(rules.state, liveRuleStates), asksInSql(channelPoints), isNull(customRewards.ruleId)),
        ),
    );

const numberOf = (query: SQL, name: string) =>
  sql`(${query})`.mapWith(Number).as(name) as SQL.Aliased<number>;

const freeRewardsNow = (nowMs: number) =>
  numberOf(
    sql`select count(*) from ${rewards} join ${items} on ${items.id} = ${rewards.itemId} where ${rewards.ruleId} = ${rules.id} and ${is(rewards.state, 'free')} and ${available(nowMs)}`,
    'free_rewards',
  );

const openRedemptions = numberOf(
  sql`select count(*) from ${redemptions} where ${redemptions.ruleId} = ${rules.id} and ${is(redemptions.state, 'open')}`,
  'open_redemptions',
);

/** Lists the names of items that can be won on a rule now, without duplicates. */
export async function listWinnable(q: Reader, ruleId: string, limit: number): Promise<string[]> {
  const rows = await q
    .selectDistinct({ name: items.name })
    .from(rewards)
    .innerJoin(items, eq(items.id, rewards.itemId))
    .where(and(eq(rewards.ruleId, ruleId), is(rewards.state, 'free')))
    .orderBy(asc(items.name))
    .limit(limit);
  return rows.map(({ name }) => name);
}

/** Maps Twitch reward ids to the rules whose custom rewards they are. */
export async function listLinkedRewards(
  q: Reader,
  twitchRewardIds: readonly string[],
): Promise<Map<string, string>> {
  if (twitchRewardIds.length === 0) return new Map();
  const rows = await q
    .select({ id: customRewards.twitchRewardId, ruleId: customRewards.ruleId })
    .from(customRewards)
    .where(inArray(customRewards.twitchRewardId, [...twitchRewardIds]));
  return new Map(rows.flatMap(({ id, ruleId }) => (id ? [[id, ruleId] as const] : [])));
}
