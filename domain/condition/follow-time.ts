import { asc, eq, isNotNull, type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import type { Reader, Tx } from '#db/database.ts';
import { bigint } from '#db/dialect.ts';
import { twitchAccounts } from '#db/schema/account.ts';
import { channels, follows } from '#db/schema/channel.ts';
import { rules } from '#db/schema/rule.ts';
import {
  atMost,
  inThousandths,
  isNoMore,
  nullableNumber,
  type Rule,
  type StoredCondition,
} from '#domain/condition/condition.ts';
import { onChannel } from '#domain/condition/viewer-joins.ts';
import { day } from '#domain/kernel/time.ts';

type Asked = Pick<Rule, 'followDays'>;

interface FollowFacts {
  /** Null if they are not known to follow. */
  followedAtMs: number | null;
}

/** Days for which a viewer has followed the channel. */
export const followTime = {
  key: 'follow',
  column: 'followDays',
  columns: { followDays: rules.followDays },
  bounds: { followDays: { min: 1, max: 3650 } },
  isPaid: false,
  refusedElsewhere: null,
  revocable: 'follow',
  counting: null,
  ownerFacts: {},
  list: { name: 'followers', readAtMs: channels.followsReadAtMs },
  table: follows,
  value: follows.followedAtMs,
  isWatched: false,
  isKnownBefore: true,
  comparison: atMost,
  needed: ({ followDays }: Asked, atMs: number) => (followDays === null ? null : atMs - followDays * day),
  neededInSql: (nowMs: SQL) => sql`${nowMs} - ${rules.followDays} * ${bigint(day)}`,
  closeness: (nowMs: SQL) =>
    inThousandths(
      sql`(${nowMs} - ${follows.followedAtMs}) / (${rules.followDays} * ${bigint(day)} / ${bigint(1000)})`,
    ),
  begun: isNotNull(follows.followedAtMs),
  facts: (twitchId: SQLWrapper) => ({
    followedAtMs:
      sql`(select ${follows.followedAtMs} from ${follows} where ${onChannel(follows, rules.channelId, twitchId)})`
        .mapWith(nullableNumber)
        .as('followed_at_ms') as SQL.Aliased<number | null>,
  }),
  isEased: (from: Asked, to: Asked) => isNoMore(from.followDays, to.followDays),
  records: { list: listFollows, erase: deleteFollows },
  progress({ followDays: needDays }: Asked, { followedAtMs: sinceMs }: FollowFacts, nowMs: number) {
    if (needDays === null) return null;
    if (sinceMs === null) return { haveDays: 0, needDays, sinceMs, metAtMs: null, met: false };
    const metAtMs = sinceMs + needDays * day;
    const haveDays = Math.max(0, Math.floor((nowMs - sinceMs) / day));
    return { haveDays, needDays, sinceMs, metAtMs, met: metAtMs <= nowMs };
  },
} as const satisfies StoredCondition;

async function listFollows(q: Reader, userId: string) {
  const { channelId, followedAtMs } = follows;
  const listed = await q
    .select({ channelId, channel: channels.login, followedAtMs })
    .from(follows)
    .innerJoin(twitchAccounts, eq(twitchAccounts.twitchId, follows.twitchId))
    .leftJoin(channels, eq(channels.id, channelId))
    .where(eq(twitchAccounts.userId, userId))
    .orderBy(asc(channelId));
  return { follows: listed };
}

async function deleteFollows(tx: Tx, twitchId: string): Promise<void> {
  await tx.delete(follows).where(eq(follows.twitchId, twitchId));
}
