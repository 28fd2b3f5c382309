import { type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import { follows, subscribers, watchTimes } from '#db/schema/channel.ts';
import { redemptions } from '#db/schema/redemption.ts';
import { type qualifications, rules, type SubscriberTier, watchBaselines } from '#db/schema/rule.ts';

/** What is known of a viewer on a rule's channel. */
export interface ViewerFacts {
  /** All seconds ever watched there. */
  watchedSeconds: number;
  /** What was watched before a rule that counts from its beginning. */
  baselineSeconds: number;
  /** Null: not known to follow. */
  followedAtMs: number | null;
  /** Null: not known to subscribe. */
  tier: SubscriberTier | null;
  /** When they redeemed the rule's custom reward; null: never, or it was given back. */
  redeemedAtMs: number | null;
}

const nullableNumber = (value: unknown): number | null => (value === null ? null : Number(value));

/** Joins what is known of a viewer on a channel: one row at most. */
export const onChannel = (
  source: typeof watchTimes | typeof follows | typeof subscribers,
  channelId: SQLWrapper | string,
  twitchId: SQLWrapper,
): SQL => sql`${source.channelId} = ${channelId} and ${source.twitchId} = ${twitchId}`;

/** Joins what is known of a viewer under a rule: one row at most. */
export const onRule = (
  source: typeof watchBaselines | typeof qualifications,
  twitchId: SQLWrapper | string,
): SQL => sql`${source.ruleId} = ${rules.id} and ${source.twitchId} = ${twitchId}`;

/** The facts of the viewer whom `twitchId` names as columns of a query over rules. */
export const viewerFacts = (twitchId: SQLWrapper) => ({
  watchedSeconds:
    sql`coalesce((select ${watchTimes.seconds} from ${watchTimes} where ${onChannel(watchTimes, rules.channelId, twitchId)}), 0)`
      .mapWith(Number)
      .as('watched_seconds'),
  baselineSeconds:
    sql`coalesce((select ${watchBaselines.seconds} from ${watchBaselines} where ${onRule(watchBaselines, twitchId)}), 0)`
      .mapWith(Number)
      .as('baseline_seconds'),
  followedAtMs:
    sql`(select ${follows.followedAtMs} from ${follows} where ${onChannel(follows, rules.channelId, twitchId)})`
      .mapWith(nullableNumber)
      .as('followed_at_ms') as SQL.Aliased<number | null>,
  tier: sql`(select ${subscribers.tier} from ${subscribers} where ${onChannel(subscribers, rules.channelId, twitchId)})`
    .mapWith(nullableNumber)
    .as('tier') as SQL.Aliased<SubscriberTier | null>,
  redeemedAtMs:
    sql`(select max(${redemptions.redeemedAtMs}) from ${redemptions} where ${redemptions.ruleId} = ${rules.id} and ${redemptions.twitchId} = ${twitchId} and ${redemptions.state} <> 'refunded' and coalesce(${redemptions.settlement}, 'fulfil') <> 'refund')`
      .mapWith(nullableNumber)
      .as('redeemed_at_ms') as SQL.Aliased<number | null>,
});
