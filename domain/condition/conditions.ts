import { and, isNull, or, type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import type { Reader, Tx } from '#db/database.ts';
import { bigint } from '#db/dialect.ts';
import { rules } from '#db/schema/rule.ts';
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

/** Decided by what is stored of a viewer. What most viewers have comes first, what fewest have last. */
export const storedConditions = [watchTime, followTime, subscription] as const;
/** Met by what a viewer does for one rule. */
export const actConditions = [channelPoints] as const;
/** Everything that a rule can ask for. */
export const conditions = [...storedConditions, ...actConditions] as const;

export type AnyStoredCondition = (typeof storedConditions)[number];
export type ListedCondition = Extract<AnyStoredCondition, { list: object }>;
type AnyCondition = (typeof conditions)[number];
export type ConditionKey = AnyCondition['key'];
export type ConditionOf<Key extends ConditionKey> = Extract<AnyCondition, { key: Key }>;
/** What is null unless a condition is asked. */
export type RequiredColumn = AnyCondition['column'];

/** Those whose facts Twitch is asked for as a list. */
export const listedConditions = storedConditions.filter(
  (each): each is ListedCondition => each.list !== null,
);

/** When each list was read, as columns of a query over channels. */
export const listReadAtMs = Object.fromEntries(
  listedConditions.map(({ key, list }) => [key, list.readAtMs]),
) as Record<ListedCondition['key'], ListedCondition['list']['readAtMs']>;

/** What rules ask for, as columns of a query. */
export const conditionColumns = merged(conditions.map(({ columns }) => columns));

/** What a rule asks for; null = not asked. All that are set must be met, and at least one is set. */
export type Conditions = Pick<Rule, keyof typeof conditionColumns>;

/** The bounds of a rule's value. */
export const conditionBounds = merged(conditions.map(({ bounds }) => bounds));

const columns = Object.keys(conditionColumns) as (keyof Conditions)[];

/** Only what a rule asks for. */
export const conditionsOf = (rule: Conditions): Conditions =>
  Object.fromEntries(columns.map((column) => [column, rule[column]])) as Conditions;

type Asked = Pick<Rule, RequiredColumn>;

/** What is null in a rule that asks for nothing. */
export const requiredColumns = conditions.map(({ column }) => column);

export const hasNoStoredConditions = (rule: Pick<Rule, AnyStoredCondition['column']>): boolean =>
  hasNoConditions(
    rule,
    storedConditions.map(({ column }) => column),
  );

/** What rules ask for that costs money or points. */
export const paidConditions = conditions.flatMap(({ column, isPaid }) => (isPaid ? [column] : []));

export type RefusedElsewhere = NonNullable<AnyCondition['refusedElsewhere']>;

/** Why such a rule cannot be put on somebody else's channel; null: it can. */
export const refusedElsewhere = (rule: Asked): RefusedElsewhere | null =>
  conditions.find((each) => each.refusedElsewhere !== null && asksFor(rule, each))?.refusedElsewhere ?? null;

/** How what a rule asks for begins to be counted for it; empty: nothing of it is. */
export const countingsOf = (rule: Asked): Counting[] =>
  conditions.flatMap((each) => (each.counting && asksFor(rule, each) ? [each.counting] : []));

/** What is counted for each rule and viewer. */
export const countingTables = conditions.flatMap(({ counting }) => (counting ? [counting.table] : []));

/** Whether a rule counts something for which nothing counts that came before it. */
export const startsAtZero = (rule: Conditions): boolean =>
  countingsOf(rule).some((counting) => counting.startsAtZero(rule));

/** Whether a rule, in a query over rules, asks for something that may cease to hold between the promise and the claim. */
export const hasRevocableCondition = (): SQL | undefined =>
  or(...conditions.filter(({ revocable }) => revocable !== null).map(asksInSql));

/** Whether a rule asks for time watched, whenever it was. */
export const countsAllWatched = (rule: Conditions): boolean =>
  storedConditions.some((each) => each.isWatched && asksFor(rule, each)) && !startsAtZero(rule);

/** Those of which time watched does not decide. */
export const unwatchedConditions = storedConditions.filter(({ isWatched }) => !isWatched);

/** By what a rule's viewers are listed, in a query over rules that joins what is stored and counted. */
export const viewerOrder = watchTime.counted;

/** Whether a rule, in a query over rules, asks for anything that is stored of viewers. */
export const hasStoredCondition = sql`coalesce(${sql.join(
  storedConditions.map(({ column }) => rules[column]),
  sql`, `,
)}) is not null`;

/** Whether a rule asks for nothing but what is stored of viewers. */
export const hasOnlyStoredConditions = (
  rule: Pick<Rule, (typeof actConditions)[number]['column']>,
): boolean => !actConditions.some((each) => asksFor(rule, each));

/** Whether all that a rule asks for is met, in a query over rules that joins what is stored of a viewer; a missing row meets nothing. One may be left out. */
export const storedConditionsMet = (nowMs: SQL, without?: AnyStoredCondition['key']): SQL | undefined =>
  and(
    ...actConditions.map(({ column }) => isNull(rules[column])),
    ...storedConditions
      .filter(({ key }) => key !== without)
      .map(({ column, comparison, value, neededInSql }) =>
        or(isNull(rules[column]), comparison.inSql(value, neededInSql(nowMs))),
      ),
  );

/** What the comparison with stored values leaves out, in the same query: looked at last, because it costs most. */
export const exactConditionsMet = (q: Reader): SQL | undefined =>
  and(...exactConditions.map(({ exact }) => exact.inSql(q)));

/** Those that a comparison alone does not decide. */
export const exactConditions = storedConditions.filter((each) => 'exact' in each);

const NEARNESS_UNKNOWN = 500;
/** Those of which it can be said how near somebody is. */
export const measuredConditions = storedConditions.filter((each) => 'nearness' in each);

/** How near a viewer is to a rule, in thousandths; a rule that cannot tell comes after those nearly met. */
export const nearness = sql<number>`coalesce(${sql.join(
  [...measuredConditions.map((each) => each.nearness), bigint(NEARNESS_UNKNOWN)],
  sql`, `,
)})`;

/** Joins what the channel has stored of a viewer for these conditions, one row of each table at most. */
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

/** Joins what is counted for a rule and a viewer, one row of each table at most, in a query over rules. */
export function joinCounted<Query>(query: Query, twitchId: SQLWrapper): Query {
  const joinable = query as { leftJoin(table: (typeof countingTables)[number], on: SQL): unknown };
  for (const table of countingTables) joinable.leftJoin(table, onRule(table, twitchId));
  return query;
}

const records: readonly ViewerRecords[] = conditions.map((each) => each.records);

/** Lists what is stored for any condition of the Twitch account that is linked to a user. */
export async function listViewerRecords(
  q: Reader,
  userId: string,
): Promise<Record<string, readonly object[]>> {
  return Object.assign({}, ...(await Promise.all(records.map(({ list }) => list(q, userId)))));
}

/** Deletes what is stored of a viewer for any condition, except what stays with promises. */
export async function eraseViewerRecords(tx: Tx, twitchId: string): Promise<void> {
  for (const { erase } of records) await erase?.(tx, twitchId);
}

/** The facts that conditions need of the viewer whom `twitchId` names, as columns of a query over rules. */
export const viewerFacts = (twitchId: SQLWrapper) => merged(conditions.map(({ facts }) => facts(twitchId)));

/** What a rule's owner is shown about its conditions, as columns of a query over rules that joins their channels. */
export const ownerFacts = merged(conditions.map((each) => each.ownerFacts));

type Selected<Columns> = {
  [Fact in keyof Columns]: Columns[Fact] extends SQL.Aliased<infer Value> ? Value : never;
};
export type ViewerFacts = Selected<ReturnType<typeof viewerFacts>>;
export type OwnerFacts = Selected<typeof ownerFacts>;

/** How far somebody is with each condition that a rule asks; null where it does not ask. */
export type ConditionProgress = {
  [Each in AnyCondition as Each['key']]: ReturnType<Each['progress']>;
} & { met: boolean };

/** The arithmetic of a rule's conditions for one viewer, as `qualify` decides it for all of them at once. */
export function conditionProgress(rule: Conditions, viewer: ViewerFacts, nowMs: number): ConditionProgress {
  const asked = conditions.map((each) => [each.key, each.progress(rule, viewer, nowMs)] as const);
  return {
    ...Object.fromEntries(asked),
    met: asked.every(([, progress]) => progress?.met ?? true),
  } as ConditionProgress;
}
