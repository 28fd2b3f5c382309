import { and, asc, eq, gt, inArray, isNull } from 'drizzle-orm';
import type { Reader } from '#db/database.ts';
import { bigint, is } from '#db/dialect.ts';
import { twitchAccounts } from '#db/schema/account.ts';
import { follows, subscribers, type watchTimes } from '#db/schema/channel.ts';
import { rules } from '#db/schema/rule.ts';
import { asksFor, asksInSql, type Rule } from '#domain/condition/condition.ts';
import { type AnyStoredCondition, storedConditions } from '#domain/condition/conditions.ts';
import { followTime } from '#domain/condition/follow-time.ts';
import { subscription } from '#domain/condition/subscription.ts';
import { newlyQualified } from '#domain/rule/qualify.ts';

/** The conditions whose lists Twitch leaves people out of. */
const listed = {
  follow: { condition: followTime, isUnknown: isNull(follows.twitchId) },
  subscriber: { condition: subscription, isUnknown: isNull(subscribers.twitchId) },
} as const;

/** `viewers` meet another condition too; `strangers` are all accounts, for rules that ask for nothing else. */
export type CandidateKind = 'viewers' | 'strangers';

interface Scope {
  channelId: string;
  kind: CandidateKind;
  /** The list that they are not on. */
  missingOn: keyof typeof listed;
  after: string;
  limit: number;
}

/**
 * Lists registered viewers who are not known to follow a channel, or to subscribe to it, and meet everything
 * else that one of its open rules asks for. Twitch is asked about each of them, because its lists leave people
 * out, and a long one takes its time. They come in the order of their Twitch ids, starting after `after`.
 */
export async function listCandidates(
  q: Reader,
  { channelId, kind, missingOn, after, limit }: Scope,
  nowMs: number,
): Promise<string[]> {
  const { condition: asked, isUnknown } = listed[missingOn];
  const asking = await q
    .select()
    .from(rules)
    .where(and(eq(rules.channelId, channelId), is(rules.state, 'open'), asksInSql(asked)));
  const found: { twitchId: string }[] = [];
  for (const [condition, ruleIds] of byOtherCondition(asking, missingOn)) {
    if ((condition === null) !== (kind === 'strangers')) continue;
    const scope = {
      rules: inArray(rules.id, ruleIds),
      among: and(
        isUnknown,
        gt(twitchAccounts.twitchId, after),
        condition ? inArray(twitchAccounts.twitchId, storedFor(q, condition, channelId)) : undefined,
      ),
    };
    const rows = await newlyQualified(q, scope, bigint(nowMs), missingOn)
      .orderBy(asc(twitchAccounts.twitchId))
      // A viewer is found once for each rule.
      .limit(limit * ruleIds.length);
    found.push(...rows);
  }
  const ids = new Set(found.map(({ twitchId }) => twitchId));
  return [...ids].sort().slice(0, limit);
}

/** Groups the rules by the rarest other stored condition that they have; null for those without one. */
function byOtherCondition(
  asking: readonly Rule[],
  missingOn: Scope['missingOn'],
): Map<AnyStoredCondition | null, string[]> {
  const others = storedConditions.toReversed().filter(({ key }) => key !== missingOn);
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
