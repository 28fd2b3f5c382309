import { and, isNull, or, type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import type { Reader, Tx } from '#db/database.ts';
import { bigint, lesser } from '#db/dialect.ts';
import { rules } from '#db/schema/rule.ts';
import { attendedStreams } from '#domain/condition/attended-streams.ts';
import { channelPoints } from '#domain/condition/channel-points.ts';
import {
  asksFor,
  asksInSql,
  type Counting,
  type Rule,
  type ViewerRecords,
} from '#domain/condition/condition.ts';
import { followTime } from '#domain/condition/follow-time.ts';
import { hasNoConditions } from '#domain/condition/no-conditions.ts';
import { subscription } from '#domain/condition/subscription.ts';
import { onChannel, onRule } from '#domain/condition/viewer-joins.ts';
import { watchTime } from '#domain/condition/watch-time.ts';
import { merged } from '#domain/kernel/merged.ts';

/** The conditions decided by stored data about a viewer. Those that most viewers have data for come first. */
export const storedConditions = [watchTime, attendedStreams, followTime, subscription] as const;
/** The conditions met by an act of a viewer on one rule. */
export const actConditions = [channelPoints] as const;
/** All conditions. */
export const conditions = [...storedConditions, ...actConditions] as const;

export type AnyStoredCondition = (typeof storedConditions)[number];
export type ListedCondition = Extract<AnyStoredCondition, { list: object }>;
type AnyCondition = (typeof conditions)[number];
export type ConditionKey = AnyCondition['key'];
export type ConditionOf<Key extends ConditionKey> = Extract<AnyCondition, { key: Key }>;
/** The column of a condition; null in a rule without it. */
export type RequiredColumn = AnyCondition['column'];

/** The conditions whose facts Twitch reports as a list. */
export const listedConditions = storedConditions.filter(
  (each): each is ListedCondition => each.list !== null,
);

/** The times at which the lists were read, as columns of a query over channels. */
export const listReadAtMs = Object.fromEntries(
  listedConditions.map(({ key, list }) => [key, list.readAtMs]),
) as Record<ListedCondition['key'], ListedCondition['list']['readAtMs']>;

/** The rules' conditions, as columns of a query. */
export const conditionColumns = merged(conditions.map(({ columns }) => columns));

/**
 * The conditions of a rule; null stands for one that it does not have. All of those set must be met, and at
 * least one is set, except in the rule of a raffle that everybody may enter.
 */
export type Conditions = Pick<Rule, keyof typeof conditionColumns>;

/** The bounds of the values in a rule. */
export const conditionBounds = merged(conditions.map(({ bounds }) => bounds));

const columns = Object.keys(conditionColumns) as (keyof Conditions)[];

/** Picks the conditions from a rule. */
export const conditionsOf = (rule: Conditions): Conditions =>
  Object.fromEntries(columns.map((column) => [column, rule[column]])) as Conditions;

type Asked = Pick<Rule, RequiredColumn>;

/** The columns that are null in a rule without conditions. */
export const requiredColumns = conditions.map(({ column }) => column);

export const hasNoStoredConditions = (rule: Pick<Rule, AnyStoredCondition['column']>): boolean =>
  hasNoConditions(
    rule,
    storedConditions.map(({ column }) => column),
  );

/** The conditions of a rule that cost money or points. */
export const paidConditions = conditions.flatMap(({ column, isPaid }) => (isPaid ? [column] : []));

export type RefusedElsewhere = NonNullable<AnyCondition['refusedElsewhere']>;

/** Returns why a rule cannot be put on somebody else's channel; null if it can. */
export const refusedElsewhere = (rule: Asked): RefusedElsewhere | null =>
  conditions.find((each) => each.refusedElsewhere !== null && asksFor(rule, each))?.refusedElsewhere ?? null;

const impossible = conditions.flatMap((each) => ('impossible' in each ? [each.impossible] : []));
export type Impossible = (typeof impossible)[number]['refusal'];

/** Returns why nobody could meet a rule's conditions; null if they can be met. */
export const impossibleIn = (rule: Conditions): Impossible | null =>
  impossible.find(({ isTrue }) => isTrue(rule))?.refusal ?? null;

/** Returns whether everybody who meets a rule's conditions would also meet the others in its place. */
export const areEased = (from: Conditions, to: Conditions): boolean =>
  conditions.every(({ isEased }) => isEased(from, to));

/** Returns how counting begins for each condition of a rule that needs it; empty if none does. */
export const countingsOf = (rule: Asked): Counting[] =>
  conditions.flatMap((each) => (each.counting && asksFor(rule, each) ? [each.counting] : []));

/** The tables of what is counted for each rule and viewer. */
export const countingTables = conditions.flatMap(({ counting }) => (counting ? [counting.table] : []));

/** Returns whether a rule has a condition for which nothing counts from before the rule. */
export const startsAtZero = (rule: Conditions): boolean =>
  countingsOf(rule).some((counting) => counting.startsAtZero(rule));

/**
 * Matches rules with a condition that may cease to hold between the promise and the claim, in a query over
 * rules.
 */
export const hasRevocableCondition = (): SQL | undefined =>
  or(...conditions.filter(({ revocable }) => revocable !== null).map(asksInSql));

/** Returns whether a rule asks for watch time, whenever it was watched. */
export const countsAllWatched = (rule: Conditions): boolean =>
  storedConditions.some((each) => each.isWatched && asksFor(rule, each)) && !startsAtZero(rule);

/** The conditions that watch time does not decide. */
export const unwatchedConditions = storedConditions.filter(({ isWatched }) => !isWatched);

/** Above the sum of the measures of all conditions. */
const CLOSENESS_STEP = 10_000;

/**
 * Orders the viewers of a rule by how close they are to meeting it, in a query over rules that joins what is stored and
 * counted: the condition of which most is missing decides, and then all of them together.
 *
 * @param asked the conditions of the rule, at least one
 */
export function closenessOf(asked: readonly AnyStoredCondition[], nowMs: number): SQL<number> {
  const measures = asked.map((condition) => condition.closeness(bigint(nowMs)));
  const least = measures.reduce((all, each) => lesser(all, each) as SQL<number>);
  return sql<number>`${least} * ${bigint(CLOSENESS_STEP)} + ${sql.join(measures, sql` + `)}`;
}

/** Matches rules with any condition on stored data, in a query over rules. */
export const hasStoredCondition = sql`coalesce(${sql.join(
  storedConditions.map(({ column }) => rules[column]),
  sql`, `,
)}) is not null`;

/** Returns whether a rule has only conditions on stored data. */
export const hasOnlyStoredConditions = (
  rule: Pick<Rule, (typeof actConditions)[number]['column']>,
): boolean => !actConditions.some((each) => asksFor(rule, each));

/**
 * Matches viewers who meet all stored conditions of a rule without others, in a query over rules that joins what is
 * stored about a viewer; a missing row meets nothing. One condition may be left out.
 */
export const storedConditionsMet = (nowMs: SQL, without?: AnyStoredCondition['key']): SQL | undefined =>
  and(
    ...actConditions.map(({ column }) => isNull(rules[column])),
    storedValuesMet(
      nowMs,
      storedConditions.filter(({ key }) => key !== without),
    ),
  );

/** Matches viewers who meet those of these conditions that a rule has, in the same query. */
export const storedValuesMet = (nowMs: SQL, among: readonly AnyStoredCondition[]): SQL | undefined =>
  and(
    ...among.map(({ column, comparison, value, neededInSql }) =>
      or(isNull(rules[column]), comparison.inSql(value, neededInSql(nowMs))),
    ),
  );

/**
 * The exact checks that the comparison with stored values leaves out, in the same query, made last because
 * they cost most.
 */
export const exactConditionsMet = (q: Reader): SQL | undefined =>
  and(...exactConditions.map(({ exact }) => exact.inSql(q)));

/** The conditions that a comparison alone does not decide. */
export const exactConditions = storedConditions.filter((each) => 'exact' in each);

const NEARNESS_UNKNOWN = 500;
/** The conditions whose progress can be measured. */
export const measuredConditions = storedConditions.filter((each) => 'nearness' in each);

/** A viewer's progress on a rule in thousandths; a rule without a measure comes after those nearly met. */
export const nearness = sql<number>`coalesce(${sql.join(
  [...measuredConditions.map((each) => each.nearness), bigint(NEARNESS_UNKNOWN)],
  sql`, `,
)})`;

/** Joins the stored data about a viewer for these conditions, at most one row of each table. */
export function joinStored<Query>(
  query: Query,
  wanted: readonly AnyStoredCondition[],
  channelId: SQLWrapper | string,
  twitchId: SQLWrapper,
): Query {
  const joinable = query as { leftJoin(table: AnyStoredCondition['table'], on: SQL): unknown };
  for (const { table } of wanted) joinable.leftJoin(table, onChannel(table, channelId, twitchId));
  return query;
}

/** Joins the counts for a rule and a viewer, at most one row of each table, in a query over rules. */
export function joinCounted<Query>(query: Query, twitchId: SQLWrapper): Query {
  const joinable = query as { leftJoin(table: (typeof countingTables)[number], on: SQL): unknown };
  for (const table of countingTables) joinable.leftJoin(table, onRule(table, twitchId));
  return query;
}

const records: readonly ViewerRecords[] = conditions.map((each) => each.records);

/** Lists the data stored for all conditions about the Twitch account that is linked to a user. */
export async function listViewerRecords(
  q: Reader,
  userId: string,
): Promise<Record<string, readonly object[]>> {
  return Object.assign({}, ...(await Promise.all(records.map(({ list }) => list(q, userId)))));
}

/** Deletes the data stored for all conditions about a viewer, except what stays with promises. */
export async function eraseViewerRecords(tx: Tx, twitchId: string): Promise<void> {
  for (const { erase } of records) await erase?.(tx, twitchId);
}

/**
 * The facts about the viewer whom `twitchId` names that conditions need, as columns of a query over rules.
 */
export const viewerFacts = (twitchId: SQLWrapper) => merged(conditions.map(({ facts }) => facts(twitchId)));

/**
 * The facts that a rule's owner is shown about its conditions, as columns of a query over rules that joins
 * their channels.
 */
export const ownerFacts = merged(conditions.map((each) => each.ownerFacts));

type Selected<Columns> = {
  [Fact in keyof Columns]: Columns[Fact] extends SQL.Aliased<infer Value> ? Value : never;
};
export type ViewerFacts = Selected<ReturnType<typeof viewerFacts>>;
export type OwnerFacts = Selected<typeof ownerFacts>;

/** A viewer's progress on each condition of a rule; null for those that it does not have. */
export type ConditionProgress = {
  [Each in AnyCondition as Each['key']]: ReturnType<Each['progress']>;
} & { met: boolean };

/** Computes a viewer's progress on a rule's conditions, by the same arithmetic as `qualify` in SQL. */
export function conditionProgress(rule: Conditions, viewer: ViewerFacts, nowMs: number): ConditionProgress {
  const asked = conditions.map((each) => [each.key, each.progress(rule, viewer, nowMs)] as const);
  return {
    ...Object.fromEntries(asked),
    met: asked.every(([, progress]) => progress?.met ?? true),
  } as ConditionProgress;
}
