import { and, asc, eq, gt, gte, isNotNull, lte, type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import type { Reader } from '#db/database.ts';
import { commaSeparated, listOf } from '#db/dialect.ts';
import { twitchAccounts } from '#db/schema/account.ts';
import { follows, subscribers, watchTimes } from '#db/schema/channel.ts';
import { qualifications, type rules, watchBaselines } from '#db/schema/rule.ts';
import { users } from '#db/schema/user.ts';
import { statement } from '#db/statement.ts';
import type { Conditions } from '#domain/rule/conditions.ts';
import { onChannel } from '#domain/rule/viewer-facts.ts';
import { inSlice, type ViewerSlice } from '#domain/rule/viewer-slice.ts';
import { day } from '#domain/time.ts';

/** What a sweep needs to know of an open rule. */
export type SweptRule = Pick<typeof rules.$inferSelect, 'id' | 'channelId'> & Conditions;

/** So many rows of a channel are read at a time, so that the process comes to other things in between. */
const ROWS_AT_ONCE = 20_000;

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
  const channelId = rules[0]?.channelId ?? '';
  for (const fact of rarestFirst) {
    const swept = rules
      .filter((rule) => rarestOf(rule) === fact)
      .map((rule) => ({ rule, needs: needsOf(rule, nowMs) }));
    for (let after: string | null = swept.length > 0 ? '' : null; after !== null; ) {
      const last: string | null = await endOfSlice(q, fact, { channelId, after }, rowsAtOnce);
      yield await searchSlice(q, fact, { channelId, after, last }, swept);
      after = last;
    }
  }
}

/** What conditions ask about, and where it is stored. */
const columns = {
  tier: subscribers.tier,
  followedAtMs: follows.followedAtMs,
  seconds: watchTimes.seconds,
};
const sources = { tier: subscribers, followedAtMs: follows, seconds: watchTimes };
type Fact = keyof typeof columns;
const rarestFirst = ['tier', 'followedAtMs', 'seconds'] as const satisfies Fact[];

/** The value that a rule asks for at least, for a follow at most; null: not asked. */
type Needs = Record<Fact, number | null>;
const needsOf = (rule: Conditions, nowMs: number): Needs => ({
  tier: rule.subscriberTier,
  followedAtMs: rule.followDays === null ? null : nowMs - rule.followDays * day,
  seconds: rule.watchMinutes === null ? null : rule.watchMinutes * 60,
});

interface Swept {
  rule: SweptRule;
  needs: Needs;
}

/** Undefined: the rule asks for nothing but channel points, and whoever redeems is not found by a sweep. */
const rarestOf = (rule: Conditions): Fact | undefined =>
  rule.pointsCost === null ? rarestFirst.find((fact) => needsOf(rule, 0)[fact] !== null) : undefined;

type Slice = ViewerSlice & { channelId: string };

/** The Twitch id that a slice ends with; null: it reaches to the end. */
async function endOfSlice(
  q: Reader,
  fact: Fact,
  { channelId, after }: Omit<Slice, 'last'>,
  rowsAtOnce: number,
): Promise<string | null> {
  const source = sources[fact] as typeof watchTimes;
  const [end] = await q
    .select({ twitchId: source.twitchId })
    .from(source)
    .where(and(eq(source.channelId, channelId), gt(source.twitchId, after)))
    .orderBy(asc(source.twitchId))
    .limit(1)
    .offset(rowsAtOnce - 1);
  return end?.twitchId ?? null;
}

/**
 * Reads the viewers and each rule's list in the order of the Twitch ids and compares the two: most of those who meet a
 * rule are on its list, and looking up each of them would cost many times as much.
 */
async function searchSlice(q: Reader, fact: Fact, slice: Slice, swept: readonly Swept[]): Promise<string[]> {
  const viewers = await readViewers(q, fact, slice, swept);
  const unlisted: { rule: SweptRule; viewers: Viewer[] }[] = [];
  for (const { rule, needs } of viewers.length > 0 ? swept : []) {
    const meeting = viewers.filter((viewer) => meets(viewer, needs));
    unlisted.push({ rule, viewers: without(meeting, await readListed(q, rule.id, slice)) });
  }
  const linked = await linkedAmong(q, new Set(unlisted.flatMap((each) => each.viewers.map(idOf))));
  const found = new Set<string>();
  for (const { rule, viewers } of unlisted) {
    const candidates = viewers.filter(({ twitchId }) => linked.has(twitchId));
    for (const { twitchId } of await withoutBaseline(q, rule, candidates)) found.add(twitchId);
  }
  return [...(await verifiedAmong(q, found))];
}

/** What the channel knows of a viewer; NaN, which meets no condition: nothing, or no rule asks. */
type Viewer = Record<Fact, number> & { twitchId: string };
const idOf = ({ twitchId }: Viewer): string => twitchId;

const meets = (viewer: Viewer, { tier, followedAtMs, seconds }: Needs): boolean =>
  (tier === null || viewer.tier >= tier) &&
  (followedAtMs === null || viewer.followedAtMs <= followedAtMs) &&
  (seconds === null || viewer.seconds >= seconds);

/** The viewers of a slice by their ids, but for those who have less than the mildest of the rules asks. */
async function readViewers(q: Reader, fact: Fact, slice: Slice, swept: readonly Swept[]): Promise<Viewer[]> {
  const asked = rarestFirst.filter((each) => swept.some(({ needs }) => needs[each] !== null));
  const { channelId } = slice;
  const source = sources[fact] as typeof watchTimes;
  const [one, other] = rarestFirst.filter((each) => each !== fact).map((each) => sources[each]);
  const seen = q
    .select({ twitchId: source.twitchId, ...columns })
    .from(source)
    .leftJoin(one as typeof follows, onChannel(one as typeof follows, channelId, source.twitchId))
    .leftJoin(other as typeof subscribers, onChannel(other as typeof subscribers, channelId, source.twitchId))
    .where(and(eq(source.channelId, channelId), inSlice(slice, source.twitchId), mildest(fact, swept)))
    .orderBy(asc(source.twitchId))
    .as('seen');
  const listed = asked.map((each) => [each, commaSeparated(seen[each])]);
  const [row] = await q
    .select({
      twitchIds: commaSeparated(seen.twitchId),
      ...(Object.fromEntries(listed) as Record<Fact, SQL>),
    })
    .from(seen);
  if (!row?.twitchIds) return [];
  const values = (each: Fact) => (asked.includes(each) ? String(row[each]).split(',').map(numberIn) : []);
  const [tiers, followed, seconds] = rarestFirst.map(values);
  return row.twitchIds.split(',').map((twitchId, place) => ({
    twitchId,
    tier: tiers?.[place] ?? NaN,
    followedAtMs: followed?.[place] ?? NaN,
    seconds: seconds?.[place] ?? NaN,
  }));
}

const numberIn = (text: string): number => (text === '' ? Number.NaN : Number(text));

/** Every one of the rules asks for this. */
function mildest(fact: Fact, swept: readonly Swept[]): SQL {
  const needed = swept.map(({ needs }) => needs[fact] ?? 0);
  return fact === 'followedAtMs'
    ? lte(columns[fact], Math.max(...needed))
    : gte(columns[fact], Math.min(...needed));
}

/** Who of a slice is on a rule's list, the ids in their order. */
async function readListed(q: Reader, ruleId: string, slice: ViewerSlice): Promise<string[]> {
  const listed = q
    .select({ twitchId: qualifications.twitchId })
    .from(qualifications)
    .where(and(eq(qualifications.ruleId, ruleId), inSlice(slice, qualifications.twitchId)))
    .orderBy(asc(qualifications.twitchId))
    .as('listed');
  const [row] = await q.select({ twitchIds: commaSeparated(listed.twitchId) }).from(listed);
  return row?.twitchIds?.split(',') ?? [];
}

/** Both in the order of the ids. Were they ever out of order, somebody would be looked at in vain and nobody left out. */
function without(viewers: readonly Viewer[], listed: readonly string[]): Viewer[] {
  let place = 0;
  return viewers.filter(({ twitchId }) => {
    while (place < listed.length && (listed[place] as string) < twitchId) place++;
    return listed[place] !== twitchId;
  });
}

/** Those of any number of Twitch ids that a query finds. */
type Among = (q: Reader, twitchIds: ReadonlySet<string>) => Promise<Set<string>>;
const among =
  (read: (q: Reader, values: { ids: string }) => Promise<{ twitchId: string }[]>): Among =>
  async (q, twitchIds) => {
    if (twitchIds.size === 0) return new Set();
    const found = await read(q, { ids: JSON.stringify([...twitchIds]) });
    return new Set(found.map(({ twitchId }) => twitchId));
  };

const inIds = (twitchId: SQLWrapper) =>
  sql`${twitchId} in (select value from ${listOf(sql.placeholder('ids'), 'asked')})`;

/** Who has an account here: most of a channel's viewers have none, and this is read off a key. */
const linkedAmong = among(
  statement('linked_among', (q) =>
    q
      .select({ twitchId: twitchAccounts.twitchId })
      .from(twitchAccounts)
      .where(inIds(twitchAccounts.twitchId)),
  ),
);

const verifiedAmong = among(
  statement('verified_among', (q) =>
    q
      .select({ twitchId: twitchAccounts.twitchId })
      .from(twitchAccounts)
      .innerJoin(users, and(eq(users.id, twitchAccounts.userId), isNotNull(users.emailVerifiedAtMs)))
      .where(inIds(twitchAccounts.twitchId)),
  ),
);

const baselinesAmong = statement('baselines_among', (q) =>
  q
    .select({ twitchId: watchBaselines.twitchId, seconds: watchBaselines.seconds })
    .from(watchBaselines)
    .where(and(eq(watchBaselines.ruleId, sql.placeholder('ruleId')), inIds(watchBaselines.twitchId))),
);

/** Who of the viewers still has enough without what they had watched before a rule that counts from its beginning. */
async function withoutBaseline(
  q: Reader,
  { id: ruleId, watchMinutes, watchScope }: SweptRule,
  viewers: readonly Viewer[],
): Promise<readonly Viewer[]> {
  if (watchMinutes === null || watchScope === 'allTime' || viewers.length === 0) return viewers;
  const found = await baselinesAmong(q, { ruleId, ids: JSON.stringify(viewers.map(idOf)) });
  const before = new Map(found.map(({ twitchId, seconds }) => [twitchId, seconds]));
  return viewers.filter(
    ({ twitchId, seconds }) => seconds - (before.get(twitchId) ?? 0) >= watchMinutes * 60,
  );
}
