import { and, asc, eq, gt, inArray, isNull } from 'drizzle-orm';
import type { Reader } from '#db/database.ts';
import { bigint, is } from '#db/dialect.ts';
import { twitchAccounts } from '#db/schema/account.ts';
import { follows, type watchTimes } from '#db/schema/channel.ts';
import { rules } from '#db/schema/rule.ts';
import { asksFor, asksInSql, type Rule } from '#domain/condition/condition.ts';
import { type AnyStoredCondition, storedConditions } from '#domain/condition/conditions.ts';
import { followTime } from '#domain/condition/follow-time.ts';
import { newlyQualified } from '#domain/rule/qualify.ts';

/**
 * Lists registered viewers who are not known to follow a channel and meet everything else that one of its
 * open rules asks for. Asking Twitch about each of them costs less than reading a long list of followers.
 * They come in the order of their Twitch ids, starting after `after`. Only a rule that asks for nothing else
 * makes candidates of all accounts.
 */
export async function listFollowCandidates(
  q: Reader,
  { channelId, after, limit }: { channelId: string; after: string; limit: number },
  nowMs: number,
): Promise<string[]> {
  const asking = await q
    .select()
    .from(rules)
    .where(and(eq(rules.channelId, channelId), is(rules.state, 'open'), asksInSql(followTime)));
  const found: { twitchId: string }[] = [];
  for (const [condition, ruleIds] of byOtherCondition(asking)) {
    const scope = {
      rules: inArray(rules.id, ruleIds),
      among: and(
        isNull(follows.twitchId),
        gt(twitchAccounts.twitchId, after),
        condition ? inArray(twitchAccounts.twitchId, storedFor(q, condition, channelId)) : undefined,
      ),
    };
    const rows = await newlyQualified(q, scope, bigint(nowMs), 'follow')
      .orderBy(asc(twitchAccounts.twitchId))
      // A viewer is found once for each rule.
      .limit(limit * ruleIds.length);
    found.push(...rows);
  }
  const ids = new Set(found.map(({ twitchId }) => twitchId));
  return [...ids].sort().slice(0, limit);
}

/** Groups the rules by the rarest other stored condition that they have; null for those without one. */
function byOtherCondition(asking: readonly Rule[]): Map<AnyStoredCondition | null, string[]> {
  const others = storedConditions.toReversed().filter(({ key }) => key !== followTime.key);
  const groups = new Map<AnyStoredCondition | null, string[]>();
  for (const rule of asking) {
    const other = others.find((each) => asksFor(rule, each)) ?? null;
    groups.set(other, [...(groups.get(other) ?? []), rule.id]);
  }
  return groups;
}

/** The viewers for whom the channel has stored anything for a condition. */
function storedFor(q: Reader, { table }: AnyStoredCondition, channelId: string) {
  const source = table as typeof watchTimes;
  return q.select({ twitchId: source.twitchId }).from(source).where(eq(source.channelId, channelId));
}
