import { asc, eq, type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import type { Reader } from '#db/database.ts';
import { is } from '#db/dialect.ts';
import { twitchAccounts } from '#db/schema/account.ts';
import { channels } from '#db/schema/channel.ts';
import {
  type CustomRewardFault,
  type CustomRewardState,
  customRewards,
  redemptions,
} from '#db/schema/redemption.ts';
import { rules } from '#db/schema/rule.ts';
import { type ActCondition, nullableNumber, type Rule } from '#domain/condition/condition.ts';

type Asked = Pick<Rule, 'pointsCost'>;

interface PointsFacts {
  /**
   * Time at which they redeemed the rule's custom reward; null if never, or if the points were given back.
   */
  redeemedAtMs: number | null;
  /** True while Twitch refuses to create the custom reward, so that nobody can redeem it. */
  refused: boolean;
}

const ofRule = eq(customRewards.ruleId, rules.id);

/** Selects whether nobody can redeem a rule's custom reward, because Twitch refuses it. Viewers are not sent to it. */
export const isRefused = () =>
  sql`coalesce((select case when (${is(customRewards.state, 'missing')} or ${is(customRewards.fault, 'notAffiliate')}) and ${customRewards.fault} is not null then 1 else 0 end from ${customRewards} where ${ofRule}), 0)`
    .mapWith((found: unknown) => Number(found) === 1)
    .as('points_refused') as SQL.Aliased<boolean>;

/**
 * Channel points spent on the rule's custom reward. Twitch does not report how many points a viewer has, only
 * the redemption.
 */
export const channelPoints = {
  key: 'points',
  column: 'pointsCost',
  columns: { pointsCost: rules.pointsCost },
  /** Twitch's own limits for the cost of a custom reward. */
  bounds: { pointsCost: { min: 1, max: 2_000_000 } },
  isPaid: true,
  refusedElsewhere: 'pointsElsewhere',
  revocable: 'redemption',
  counting: null,
  ownerFacts: {
    /** A custom reward whose creation has not begun counts as missing. */
    customRewardState:
      sql`case when ${rules.pointsCost} is not null then coalesce((select ${customRewards.state} from ${customRewards} where ${ofRule}), 'missing') end`.as(
        'custom_reward_state',
      ) as SQL.Aliased<CustomRewardState | null>,
    customRewardFault: sql`(select ${customRewards.fault} from ${customRewards} where ${ofRule})`.as(
      'custom_reward_fault',
    ) as SQL.Aliased<CustomRewardFault | null>,
  },
  table: redemptions,
  facts: (twitchId: SQLWrapper) => ({
    redeemedAtMs:
      sql`(select max(${redemptions.redeemedAtMs}) from ${redemptions} where ${redemptions.ruleId} = ${rules.id} and ${redemptions.twitchId} = ${twitchId} and ${redemptions.state} <> 'refunded' and coalesce(${redemptions.settlement}, 'fulfil') <> 'refund')`
        .mapWith(nullableNumber)
        .as('redeemed_at_ms') as SQL.Aliased<number | null>,
    refused: isRefused(),
  }),
  // The price stands at Twitch too, where viewers pay it: a correction leaves it alone.
  isEased: (from: Asked, to: Asked) => from.pointsCost === to.pointsCost,
  records: { list: listRedemptions, erase: null },
  progress: ({ pointsCost: cost }: Asked, { redeemedAtMs, refused }: PointsFacts) =>
    cost === null ? null : { cost, redeemedAtMs, refused, met: redeemedAtMs !== null },
} as const satisfies ActCondition;

/** Lists the channel points that a user has spent. */
async function listRedemptions(q: Reader, userId: string) {
  const listed = await q
    .select({
      id: redemptions.id,
      state: redemptions.state,
      rule: rules.name,
      ruleId: redemptions.ruleId,
      channel: channels.login,
      rewardId: redemptions.rewardId,
      refundReason: redemptions.refundReason,
      redeemedAtMs: redemptions.redeemedAtMs,
      endedAtMs: redemptions.endedAtMs,
    })
    .from(redemptions)
    .innerJoin(twitchAccounts, eq(twitchAccounts.twitchId, redemptions.twitchId))
    .innerJoin(rules, eq(rules.id, redemptions.ruleId))
    .innerJoin(channels, eq(channels.id, rules.channelId))
    .where(eq(twitchAccounts.userId, userId))
    .orderBy(asc(redemptions.redeemedAtMs), asc(redemptions.id));
  return { redemptions: listed };
}
