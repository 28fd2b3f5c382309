import { and, asc, eq, exists, gt, gte, isNotNull, lte, notExists, or, type SQL, sql } from 'drizzle-orm';
import type { Reader } from '#db/database.ts';
import { bigint } from '#db/dialect.ts';
import { twitchAccounts } from '#db/schema/account.ts';
import { follows, subscribers, watchTimes } from '#db/schema/channel.ts';
import { qualifications, type rules, watchBaselines } from '#db/schema/rule.ts';
import { users } from '#db/schema/user.ts';
import { day } from '#domain/clock.ts';
import type { Conditions } from '#domain/rule/conditions.ts';
import { onChannel } from '#domain/rule/viewer-facts.ts';

/** What a sweep needs to know of an open rule. */
export type SweptRule = Pick<typeof rules.$inferSelect, 'id' | 'channelId'> & Conditions;

type Facts = typeof subscribers | typeof follows | typeof watchTimes;

/** So many rows of a channel are read at a time, so that the process comes to other things in between. */
const ROWS_AT_ONCE = 20_000;
/** So many rules are asked for in one query: SQLite reads an expression to a depth of 1,000. */
const RULES_AT_ONCE = 50;

/**
 * Registered viewers who may meet one of a channel's rules and are not on its list, a few rows of the channel at a time.
 * Every condition asks for a row that the channel has of a viewer, so whatever is rarest of what a rule asks for is gone
 * through. Read without a transaction: `qualify` decides who of them it is.
 */
export async function* mayHaveMet(
  q: Reader,
  rules: readonly SweptRule[],
  nowMs: number,
  rowsAtOnce = ROWS_AT_ONCE,
): AsyncGenerator<string[]> {
  for (const facts of [subscribers, follows, watchTimes]) {
    const asking = rules.filter((rule) => rarestOf(rule) === facts);
    for (let from = 0; from < asking.length; from += RULES_AT_ONCE)
      yield* slices(q, facts, asking.slice(from, from + RULES_AT_ONCE), { nowMs, rowsAtOnce });
  }
}

/** Null: the rule asks for nothing but channel points, and whoever redeems is not found by a sweep. */
function rarestOf(rule: Conditions): Facts | null {
  if (rule.pointsCost !== null) return null;
  if (rule.subscriberTier !== null) return subscribers;
  return rule.followDays !== null ? follows : watchTimes;
}

async function* slices(
  q: Reader,
  facts: Facts,
  rules: readonly SweptRule[],
  { nowMs, rowsAtOnce }: { nowMs: number; rowsAtOnce: number },
) {
  const channelId = rules[0]?.channelId ?? '';
  for (let after: string | null = ''; after !== null; ) {
    const last: string | null = await endOfSlice(q, facts, { channelId, after }, rowsAtOnce);
    const found = await readSlice(q, facts, { channelId, after, last }, rules, nowMs);
    yield found.map(({ twitchId }) => twitchId);
    after = last;
  }
}

type Slice = { channelId: string; after: string; last: string | null };

/** The Twitch id that a slice ends with; null: it reaches to the end. */
async function endOfSlice(q: Reader, facts: Facts, { channelId, after }: Omit<Slice, 'last'>, rows: number) {
  const [end] = await q
    .select({ twitchId: facts.twitchId })
    .from(facts as typeof watchTimes)
    .where(and(eq(facts.channelId, channelId), gt(facts.twitchId, after)))
    .orderBy(asc(facts.twitchId))
    .limit(1)
    .offset(rows - 1);
  return end?.twitchId ?? null;
}

function readSlice(q: Reader, facts: Facts, slice: Slice, rules: readonly SweptRule[], nowMs: number) {
  const { twitchId } = facts;
  const { channelId, after, last } = slice;
  const [one, other] = [subscribers, follows, watchTimes].filter((each) => each !== facts) as [Facts, Facts];
  const registered = q
    .select({ one: sql`1` })
    .from(twitchAccounts)
    .innerJoin(users, and(eq(users.id, twitchAccounts.userId), isNotNull(users.emailVerifiedAtMs)))
    .where(eq(twitchAccounts.twitchId, twitchId));
  return q
    .select({ twitchId: sql<string>`${twitchId}` })
    .from(facts as typeof watchTimes)
    .leftJoin(one as typeof follows, onChannel(one, channelId, twitchId))
    .leftJoin(other as typeof subscribers, onChannel(other, channelId, twitchId))
    .where(
      and(
        eq(facts.channelId, channelId),
        gt(twitchId, after),
        last === null ? undefined : lte(twitchId, last),
        or(...rules.map((rule) => mayMeet(q, rule, twitchId, nowMs))),
        exists(registered),
      ),
    );
}

/** Whether a viewer, in a query over what is known of them, meets this rule and is not on its list. */
function mayMeet(q: Reader, rule: SweptRule, twitchId: Facts['twitchId'], nowMs: number): SQL | undefined {
  const { id: ruleId, followDays, watchMinutes, subscriberTier, watchScope } = rule;
  const ofRule = (source: typeof qualifications | typeof watchBaselines) =>
    and(eq(source.ruleId, ruleId), eq(source.twitchId, twitchId));
  const baseline = q
    .select({ seconds: watchBaselines.seconds })
    .from(watchBaselines)
    .where(ofRule(watchBaselines));
  const needed = (watchMinutes ?? 0) * 60;
  return and(
    subscriberTier === null ? undefined : gte(subscribers.tier, subscriberTier),
    followDays === null ? undefined : lte(follows.followedAtMs, nowMs - followDays * day),
    watchMinutes === null ? undefined : gte(watchTimes.seconds, needed),
    notExists(q.select({ one: sql`1` }).from(qualifications).where(ofRule(qualifications))),
    watchMinutes === null || watchScope === 'allTime'
      ? undefined
      : sql`${watchTimes.seconds} - coalesce((${baseline}), 0) >= ${bigint(needed)}`,
  );
}
