import { and, asc, eq, gt, isNotNull, type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import type { Answer, Reader } from '#db/database.ts';
import { commaSeparated, isAmong } from '#db/dialect.ts';
import { twitchAccounts } from '#db/schema/account.ts';
import type { watchTimes } from '#db/schema/channel.ts';
import { qualifications, type rules } from '#db/schema/rule.ts';
import { users } from '#db/schema/user.ts';
import { statement } from '#db/statement.ts';
import { asksFor } from '#domain/condition/condition.ts';
import {
  type AnyStoredCondition,
  type Conditions,
  exactConditions,
  hasOnlyStoredConditions,
  joinStored,
  storedConditions,
} from '#domain/condition/conditions.ts';
import { inSlice, type ViewerSlice } from '#domain/kernel/viewer-slice.ts';

/** The facts about an open rule that a sweep needs. */
export type SweptRule = Pick<typeof rules.$inferSelect, 'id' | 'channelId'> & Conditions;

/** At most this many rows of a channel are read at once, so that the process can do other work in between. */
const ROWS_AT_ONCE = 20_000;

/**
 * Finds registered viewers who may meet one of a channel's rules and are not on its list, a few rows of the
 * channel at a time. Every condition needs a row that the channel has about a viewer, so only the rows of a
 * rule's rarest condition are read. Read without a transaction; `qualify` decides which of them met it.
 */
export async function* mayHaveMet(
  q: Reader,
  rules: readonly SweptRule[],
  nowMs: number,
  rowsAtOnce = ROWS_AT_ONCE,
): AsyncGenerator<string[]> {
  const channelId = rules[0]?.channelId ?? '';
  for (const rarest of rarestFirst) {
    const swept = rules
      .filter((rule) => rarestOf(rule) === rarest)
      .map((rule) => ({ rule, needs: needsOf(rule, nowMs) }));
    for (let after: string | null = swept.length > 0 ? '' : null; after !== null; ) {
      const last: string | null = await endOfSlice(q, rarest, { channelId, after }, rowsAtOnce);
      yield await searchSlice(q, rarest, { channelId, after, last }, swept);
      after = last;
    }
  }
}

/** The parts of a rule's conditions that decide about viewers who were read. */
interface Swept {
  rule: SweptRule;
  needs: { condition: AnyStoredCondition; needed: number }[];
}

const rarestFirst = storedConditions.toReversed();

const needsOf = (rule: Conditions, nowMs: number): Swept['needs'] =>
  rarestFirst.flatMap((condition) => {
    const needed = condition.needed(rule, nowMs);
    return needed === null ? [] : [{ condition, needed }];
  });

/** Undefined if a sweep cannot find those who meet the rule. */
const rarestOf = (rule: Conditions): AnyStoredCondition | undefined =>
  hasOnlyStoredConditions(rule) ? rarestFirst.find((condition) => asksFor(rule, condition)) : undefined;

type Slice = ViewerSlice & { channelId: string };

/** Returns the Twitch id that a slice ends with; null if it reaches to the end. */
async function endOfSlice(
  q: Reader,
  { table }: AnyStoredCondition,
  { channelId, after }: Omit<Slice, 'last'>,
  rowsAtOnce: number,
): Promise<string | null> {
  const source = table as typeof watchTimes;
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
 * Reads the viewers and each rule's list in the order of the Twitch ids and compares the two. Most of those
 * who meet a rule are on its list, and looking up each of them would cost many times as much.
 */
async function searchSlice(
  q: Reader,
  rarest: AnyStoredCondition,
  slice: Slice,
  swept: readonly Swept[],
): Promise<string[]> {
  const viewers = await readViewers(q, rarest, slice, swept);
  const unlisted: { rule: SweptRule; places: number[] }[] = [];
  for (const { rule, needs } of viewers.twitchIds.length > 0 ? swept : []) {
    const meeting = placesMeeting(viewers, needs);
    unlisted.push({ rule, places: without(viewers, meeting, await readListed(q, rule.id, slice)) });
  }
  const idAt = (place: number) => viewers.twitchIds[place] as string;
  const linked = await linkedAmong(q, new Set(unlisted.flatMap(({ places }) => places.map(idAt))));
  const found = new Set<string>();
  for (const { rule, places } of unlisted) {
    const candidates = places.filter((place) => linked.has(idAt(place)));
    for (const place of await exactlyMeeting(q, rule, viewers, candidates)) found.add(idAt(place));
  }
  return [...(await verifiedAmong(q, found))];
}

/**
 * The channel's data about viewers, in the order of their ids; NaN, which meets no condition, stands for no
 * data.
 */
interface Viewers {
  twitchIds: string[];
  /** Only the conditions that some rule has. */
  values: Map<AnyStoredCondition, number[]>;
}

const valueAt = ({ values }: Viewers, condition: AnyStoredCondition, place: number): number =>
  values.get(condition)?.[place] ?? Number.NaN;

function placesMeeting({ twitchIds, values }: Viewers, needs: Swept['needs']): number[] {
  let places = Array.from(twitchIds.keys());
  for (const { condition, needed } of needs) {
    const { isMet } = condition.comparison;
    const known = values.get(condition) ?? [];
    places = places.filter((place) => isMet(known[place] as number, needed));
  }
  return places;
}

/** Returns the viewers whom no exact check turns away. */
async function exactlyMeeting(
  q: Reader,
  rule: SweptRule,
  viewers: Viewers,
  places: readonly number[],
): Promise<readonly number[]> {
  let left = places;
  for (const condition of exactConditions) {
    if (!asksFor(rule, condition) || left.length === 0) continue;
    const stored = left.map((place) => ({
      place,
      twitchId: viewers.twitchIds[place] as string,
      value: valueAt(viewers, condition, place),
    }));
    left = (await condition.exact.filter(q, rule, stored)).map(({ place }) => place);
  }
  return left;
}

/** Reads the viewers of a slice by their ids, without those below what the easiest of the rules asks. */
async function readViewers(
  q: Reader,
  rarest: AnyStoredCondition,
  slice: Slice,
  swept: readonly Swept[],
): Promise<Viewers> {
  const asked = rarestFirst.filter((condition) => swept.some(({ rule }) => asksFor(rule, condition)));
  const { channelId } = slice;
  const source = rarest.table as typeof watchTimes;
  const values = rarestFirst.map(({ key, value }) => [key, sql`${value}`.as(key)] as const);
  const from = q.select({ twitchId: source.twitchId, ...Object.fromEntries(values) }).from(source);
  const others = rarestFirst.filter((each) => each !== rarest);
  const seen = joinStored(from, others, channelId, source.twitchId)
    .where(and(eq(source.channelId, channelId), inSlice(slice, source.twitchId), mildest(rarest, swept)))
    .orderBy(asc(source.twitchId))
    .as('seen');
  const columns = seen as unknown as Record<AnyStoredCondition['key'], SQLWrapper>;
  const [row] = await q
    .select({
      twitchIds: commaSeparated(seen.twitchId),
      ...Object.fromEntries(asked.map(({ key }) => [key, commaSeparated(columns[key])])),
    })
    .from(seen);
  if (!row?.twitchIds) return { twitchIds: [], values: new Map() };
  const listed = row as Record<string, unknown>;
  return {
    twitchIds: row.twitchIds.split(','),
    values: new Map(asked.map((each) => [each, String(listed[each.key]).split(',').map(numberIn)])),
  };
}

const numberIn = (text: string): number => (text === '' ? Number.NaN : Number(text));

/** The easiest of the rules' requirements; all of these rules have this condition. */
function mildest({ comparison, value }: AnyStoredCondition, swept: readonly Swept[]): SQL {
  const needed = swept.flatMap(({ needs: [rarest] }) => (rarest ? [rarest.needed] : []));
  return comparison.inSql(value, comparison.mildest(...needed));
}

/** Reads which viewers of a slice are on a rule's list, in the order of their ids. */
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

/**
 * Leaves out listed viewers. Both lists are in the order of the ids; if they ever were not, somebody would be
 * evaluated in vain, but nobody left out.
 */
function without({ twitchIds }: Viewers, places: readonly number[], listed: readonly string[]): number[] {
  let next = 0;
  return places.filter((place) => {
    const twitchId = twitchIds[place] as string;
    while (next < listed.length && (listed[next] as string) < twitchId) next++;
    return listed[next] !== twitchId;
  });
}

/** Finds those of any number of Twitch ids that a query matches. */
type Among = (q: Reader, twitchIds: ReadonlySet<string>) => Promise<Set<string>>;
const among =
  (read: (q: Reader, values: { ids: string }) => Answer<{ twitchId: string }[]>): Among =>
  async (q, twitchIds) => {
    if (twitchIds.size === 0) return new Set();
    const found = await read(q, { ids: JSON.stringify([...twitchIds]) });
    return new Set(found.map(({ twitchId }) => twitchId));
  };

const inIds = (twitchId: SQLWrapper) => isAmong(twitchId, sql.placeholder('ids'));

/** Finds those who have an account here. Most of a channel's viewers have none, and a key alone shows it. */
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
