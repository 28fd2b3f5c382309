import { asc, eq, isNotNull, type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import type { Reader, Tx } from '#db/database.ts';
import { bigint } from '#db/dialect.ts';
import { twitchAccounts } from '#db/schema/account.ts';
import { channels, type SubscribersFault, subscribers } from '#db/schema/channel.ts';
import { rules, type SubscriberTier } from '#db/schema/rule.ts';
import {
  atLeast,
  inThousandths,
  isNoMore,
  nullableNumber,
  type Rule,
  type StoredCondition,
} from '#domain/condition/condition.ts';
import { onChannel } from '#domain/condition/viewer-joins.ts';

type Asked = Pick<Rule, 'subscriberTier'>;

interface SubscriptionFacts {
  /** Null if they are not known to subscribe. */
  tier: SubscriberTier | null;
}

/** A subscription to the channel, of a minimum tier. */
export const subscription = {
  key: 'subscriber',
  column: 'subscriberTier',
  columns: { subscriberTier: rules.subscriberTier },
  bounds: {},
  isPaid: true,
  refusedElsewhere: null,
  revocable: 'subscriber',
  counting: null,
  ownerFacts: {
    /** The reason why Twitch does not report the channel's subscribers; null if it does. */
    subscribersFault:
      sql`case when ${rules.subscriberTier} is not null then ${channels.subscribersFault} end`.as(
        'subscribers_fault',
      ) as SQL.Aliased<SubscribersFault | null>,
  },
  list: { name: 'subscribers', readAtMs: channels.subscribersReadAtMs },
  table: subscribers,
  value: subscribers.tier,
  isWatched: false,
  isKnownBefore: true,
  comparison: atLeast,
  needed: ({ subscriberTier }: Asked) => subscriberTier,
  neededInSql: () => sql`${rules.subscriberTier}`,
  closeness: () =>
    inThousandths(sql`case when ${subscribers.tier} >= ${rules.subscriberTier} then ${bigint(1000)} end`),
  begun: isNotNull(subscribers.tier),
  facts: (twitchId: SQLWrapper) => ({
    tier: sql`(select ${subscribers.tier} from ${subscribers} where ${onChannel(subscribers, rules.channelId, twitchId)})`
      .mapWith(nullableNumber)
      .as('tier') as SQL.Aliased<SubscriberTier | null>,
  }),
  isEased: (from: Asked, to: Asked) => isNoMore(from.subscriberTier, to.subscriberTier),
  records: { list: listSubscriptions, erase: deleteSubscriptions },
  progress({ subscriberTier: needTier }: Asked, { tier: haveTier }: SubscriptionFacts) {
    if (needTier === null) return null;
    return { haveTier, needTier, met: haveTier !== null && haveTier >= needTier };
  },
} as const satisfies StoredCondition;

async function listSubscriptions(q: Reader, userId: string) {
  const { channelId, tier } = subscribers;
  const subscriptions = await q
    .select({ channelId, channel: channels.login, tier })
    .from(subscribers)
    .innerJoin(twitchAccounts, eq(twitchAccounts.twitchId, subscribers.twitchId))
    .leftJoin(channels, eq(channels.id, channelId))
    .where(eq(twitchAccounts.userId, userId))
    .orderBy(asc(channelId));
  return { subscriptions };
}

async function deleteSubscriptions(tx: Tx, twitchId: string): Promise<void> {
  await tx.delete(subscribers).where(eq(subscribers.twitchId, twitchId));
}
