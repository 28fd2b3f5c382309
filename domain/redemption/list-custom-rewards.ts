import { and, asc, eq, inArray, isNotNull, isNull, lte, type SQL, sql } from 'drizzle-orm';
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
import { available } from '#domain/item/available.ts';
import { desiredCustomReward } from '#domain/redemption/desired-custom-reward.ts';
import { hasStoredCondition } from '#domain/rule/conditions/conditions.ts';

/** The custom reward of one rule: as Twitch confirmed it last, and as it should stand. */
export interface RuleCustomReward {
  ruleId: string;
  channelId: string;
  ruleName: string;
  cost: number;
  /** The rule has conditions besides the points. */
  asksMore: boolean;
  twitchRewardId: string | null;
  /** Null: nothing was begun yet. */
  state: CustomRewardState | null;
  fault: CustomRewardFault | null;
  desired: CustomRewardState;
}

/**
 * The custom rewards that have not gone for good, on channels whose grant lives; those that Twitch refused lately are
 * left alone until they may be tried again.
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
      cost: rules.pointsCost,
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
    .where(and(inArray(rules.id, rulesToLookAfter(q, systemMs)), isNotNull(rules.pointsCost)))
    .orderBy(asc(rules.channelId), asc(rules.id));
  return rows.map(({ ruleState, live, freeRewards, openRedemptions: open, cost, ...row }) => ({
    ...row,
    cost: cost ?? 0,
    desired: desiredCustomReward({ ruleState, live, freeRewards, openRedemptions: open }),
  }));
}

/** Rules whose custom reward stands or may be tried again, and rules that are to get one: found without those of the past. */
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
          and(within(rules.state, liveRuleStates), isNotNull(rules.pointsCost), isNull(customRewards.ruleId)),
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

/** What can be won on a rule now, each kind by its name and once, at most so many. */
export async function listWinnable(q: Reader, ruleId: string, most: number): Promise<string[]> {
  const rows = await q
    .selectDistinct({ name: items.name })
    .from(rewards)
    .innerJoin(items, eq(items.id, rewards.itemId))
    .where(and(eq(rewards.ruleId, ruleId), is(rewards.state, 'free')))
    .orderBy(asc(items.name))
    .limit(most);
  return rows.map(({ name }) => name);
}

/** Which of these ids of Twitch's belong to a rule's custom reward, and to whose. */
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
