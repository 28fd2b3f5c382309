import { gte, isNotNull, lte, type SQL, type SQLWrapper } from 'drizzle-orm';
import type { Reader, Tx } from '#db/database.ts';
import { type NullableColumn, type RevocableCondition, rules } from '#db/schema/rule.ts';
import type { ViewerSlice } from '#domain/kernel/viewer-slice.ts';

export type Rule = typeof rules.$inferSelect;

/** What each condition of a rule says of itself. `never` stands for the part of a rule or a viewer that it looks at. */
export interface Condition {
  /** Names its progress and its words. */
  key: string;
  /** The column of a rule that holds what is asked; null = not asked. */
  column: NullableColumn;
  columns: Partial<Record<keyof Rule, SQLWrapper>>;
  bounds: Partial<Record<keyof Rule, { min: number; max: number }>>;
  /** Whether it costs money or points: no random reward stands behind it unless the operator allows that. */
  isPaid: boolean;
  /** Why nobody but the broadcaster can ask for it; null: whoever is admitted to the channel can. */
  refusedElsewhere: string | null;
  /** What Twitch is asked of it again before a claim is sent; null: once met, it stays met. */
  revocable: RevocableCondition | null;
  /** What is counted for each rule; null: nothing. */
  counting: Counting | null;
  /** What the rule's owner is shown about it, as columns of a query over rules that joins their channels; null: not asked. */
  ownerFacts: Record<string, SQL.Aliased>;
  /** What must be known of the viewer whom `twitchId` names, as columns of a query over rules. */
  facts(twitchId: SQLWrapper): Record<string, SQL.Aliased>;
  /** What is stored of viewers for it. */
  records: ViewerRecords;
  /** How far a viewer is with it; null: not asked. */
  progress(rule: never, viewer: never, nowMs: number): { met: boolean } | null;
}

/** Whether a rule or a draft asks for the condition. */
export const asksFor = <Column extends NullableColumn>(
  rule: Record<Column, unknown>,
  { column }: { column: Column },
): boolean => rule[column] !== null;

/** The same in a query over rules. */
export const asksInSql = ({ column }: Pick<Condition, 'column'>): SQL => isNotNull(rules[column]);

/** What is stored of viewers, for those who ask for a copy of it or delete their account. */
export interface ViewerRecords {
  /** Lists what is stored of the Twitch account that is linked to a user, by its name in the export. */
  list(q: Reader, userId: string): Promise<Record<string, readonly object[]>>;
  /** Deletes what is stored of a viewer; null: it stays, as the promises do that came of it. */
  erase: ((tx: Tx, twitchId: string) => Promise<void>) | null;
}

/** How counting begins for a rule that asks for the condition. */
export interface Counting {
  /** One row for each rule and Twitch id at most; deleted some time after the rule was closed. */
  table: SQLWrapper & Record<'ruleId' | 'twitchId', SQLWrapper>;
  /** Whether nothing counts that came before the rule. */
  startsAtZero(rule: Partial<Rule>): boolean;
  /** Once, when the rule is created. */
  begin(tx: Tx, rule: Rule): Promise<void>;
  /** For each slice of those who have watched the channel, before the rule opens. */
  start(tx: Tx, rule: Rule, slice: ViewerSlice): Promise<void>;
  /** The last Twitch id for which an opening that was interrupted has started it; null: its rows do not say. */
  reached(tx: Tx, rule: Rule): Promise<string | null>;
}

/** A condition that one value decides, which the channel has stored of a viewer: whoever meets it is found by a query. */
export interface StoredCondition extends Condition {
  /** One row for each channel and Twitch id at most; no row meets nothing. */
  table: SQLWrapper & Record<'channelId' | 'twitchId', SQLWrapper>;
  value: SQLWrapper;
  /** Whether the value is time watched: when a rule is tried on the last days, what was watched in them stands for it. */
  isWatched: boolean;
  comparison: Comparison;
  /** What the value is compared with; null: not asked. */
  needed(rule: never, atMs: number): number | null;
  /** The same in a query over rules. */
  neededInSql(nowMs: SQL): SQL;
  /** How near somebody is, in thousandths, in a query over rules that joins the table and baselines; null: not asked. */
  nearness?: SQL<number | null>;
  /** What counts of the value for a rule, in a query over rules that joins what is stored and counted. */
  counted?: SQL<number>;
  /** Whether somebody has come nearer to it, in a query over rules that joins the table. */
  begun: SQL;
  /** The list that Twitch is asked for, with the column of a channel that says when it was read; null: it is counted here. */
  list: { name: string; readAtMs: SQLWrapper } | null;
  /** What the comparison leaves out, looked at last because it costs most. */
  exact?: ExactCheck;
}

/** A condition that is met by what a viewer does for one rule: whoever does it qualifies, and nobody is searched for. */
export interface ActCondition extends Condition {
  /** What viewers did. */
  table: SQLWrapper & Record<'ruleId' | 'twitchId', SQLWrapper>;
}

interface ExactCheck {
  inSql(q: Reader): SQL | undefined;
  filter<Viewer extends StoredValue>(
    q: Reader,
    rule: never,
    viewers: readonly Viewer[],
  ): Promise<readonly Viewer[]>;
}

export interface StoredValue {
  twitchId: string;
  value: number;
}

/** How a stored value is compared with what rules ask for. */
interface Comparison {
  inSql(value: SQLWrapper, needed: SQLWrapper | number): SQL;
  isMet(value: number, needed: number): boolean;
  /** The one of several rules' needs that most values meet. */
  mildest(...needed: number[]): number;
}

export const atLeast: Comparison = {
  inSql: gte,
  isMet: (value, needed) => value >= needed,
  mildest: Math.min,
};

export const atMost: Comparison = {
  inSql: lte,
  isMet: (value, needed) => value <= needed,
  mildest: Math.max,
};

export const nullableNumber = (value: unknown): number | null => (value === null ? null : Number(value));
