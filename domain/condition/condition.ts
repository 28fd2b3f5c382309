import { gte, isNotNull, lte, type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import type { Reader, Tx } from '#db/database.ts';
import { bigint, lesser } from '#db/dialect.ts';
import { type NullableColumn, type RevocableCondition, rules } from '#db/schema/rule.ts';
import type { ViewerSlice } from '#domain/kernel/viewer-slice.ts';

export type Rule = typeof rules.$inferSelect;

/**
 * The definition of one condition of rules. `never` stands for the part of a rule or a viewer that it reads.
 */
export interface Condition {
  /** The name under which its progress and its words are found. */
  key: string;
  /** The rule's column that holds the required value; null in a rule without this condition. */
  column: NullableColumn;
  columns: Partial<Record<keyof Rule, SQLWrapper>>;
  bounds: Partial<Record<keyof Rule, { min: number; max: number }>>;
  /** True if it costs money or points: there is no random reward for it unless the operator allows that. */
  isPaid: boolean;
  /**
   * The refusal for streamers other than the broadcaster; null if everybody admitted to the channel can use
   * it.
   */
  refusedElsewhere: string | null;
  /** The refusal for values that nobody can meet together, if there are any. */
  impossible?: { refusal: string; isTrue(rule: never): boolean };
  /**
   * The fact that Twitch is asked for again before a claim is sent; null if the condition stays met once it
   * was.
   */
  revocable: RevocableCondition | null;
  /** The counting that each rule needs; null if there is none. */
  counting: Counting | null;
  /**
   * The facts that the rule's owner is shown about it, as columns of a query over rules that joins their
   * channels; null in rules without it.
   */
  ownerFacts: Record<string, SQL.Aliased>;
  /** The facts about the viewer whom `twitchId` names, as columns of a query over rules. */
  facts(twitchId: SQLWrapper): Record<string, SQL.Aliased>;
  /** The viewers' data that is stored for it. */
  records: ViewerRecords;
  /** Returns whether everybody who meets the first values also meets the second, with what counted so far. */
  isEased(from: never, to: never): boolean;
  /** Returns a viewer's progress; null if the rule does not have the condition. */
  progress(rule: never, viewer: never, nowMs: number): { met: boolean } | null;
}

/** Returns whether a rule or a draft has the condition. */
export const asksFor = <Column extends NullableColumn>(
  rule: Record<Column, unknown>,
  { column }: { column: Column },
): boolean => rule[column] !== null;

/** Returns whether a smaller number is asked for than before, or none at all. */
export const isNoMore = (from: number | null, to: number | null): boolean =>
  to === null || (from !== null && to <= from);

/** Like `asksFor`, in a query over rules. */
export const asksInSql = ({ column }: Pick<Condition, 'column'>): SQL => isNotNull(rules[column]);

/** The viewers' data stored for a condition, which belongs into an export and is erased with an account. */
export interface ViewerRecords {
  /** Lists the data of the Twitch account that is linked to a user, by its name in the export. */
  list(q: Reader, userId: string): Promise<Record<string, readonly object[]>>;
  /** Deletes a viewer's data; null if it stays, like the promises made because of it. */
  erase: ((tx: Tx, twitchId: string) => Promise<void>) | null;
}

/** The way counting begins for a rule with the condition. */
export interface Counting {
  /** At most one row for each rule and Twitch id; deleted some time after the rule was closed. */
  table: SQLWrapper & Record<'ruleId' | 'twitchId', SQLWrapper>;
  /** Returns whether nothing counts from before the rule. */
  startsAtZero(rule: Partial<Rule>): boolean;
  /** Called once, when the rule is created. */
  begin(tx: Tx, rule: Rule): Promise<void>;
  /** Called for each slice of the channel's viewers with watch time, before the rule opens. */
  start(tx: Tx, rule: Rule, slice: ViewerSlice): Promise<void>;
  /** Returns the last Twitch id that an interrupted opening has reached; null if its rows do not show it. */
  reached(tx: Tx, rule: Rule): Promise<string | null>;
}

/**
 * A condition decided by one value that the channel has stored about a viewer: a query finds those who meet
 * it.
 */
export interface StoredCondition extends Condition {
  /** At most one row for each channel and Twitch id; a viewer without a row does not meet it. */
  table: SQLWrapper & Record<'channelId' | 'twitchId', SQLWrapper>;
  value: SQLWrapper;
  /** True if the value is watch time. A dry run then uses the time watched in its own days instead. */
  isWatched: boolean;
  /** False if nothing is stored of the time before the first rule that asks for it: a dry run cannot decide it. */
  isKnownBefore: boolean;
  comparison: Comparison;
  /** Returns the value to compare with; null if the rule does not have the condition. */
  needed(rule: never, atMs: number): number | null;
  /** Like `needed`, in a query over rules. */
  neededInSql(nowMs: SQL): SQL;
  /**
   * A viewer's progress in thousandths, in a query over rules that joins the table and baselines; null if the
   * rule does not have the condition.
   */
  nearness?: SQL<number | null>;
  /**
   * The part of the condition that a viewer has, from 0 to 1000, in a query over rules with the condition that joins
   * what is stored and counted.
   */
  closeness(nowMs: SQL): SQL<number>;
  /**
   * The part of the value that counts for a rule, in a query over rules that joins what is stored and
   * counted.
   */
  counted?: SQL<number>;
  /** Matches viewers who have made progress, in a query over rules that joins the table. */
  begun: SQL;
  /**
   * The list that Twitch is asked for, and the column of a channel with the time it was read; null if
   * Keepsake counts this value itself.
   */
  list: { name: string; readAtMs: SQLWrapper } | null;
  /** A check that the comparison leaves out, made last because it costs most. */
  exact?: ExactCheck;
}

/**
 * A condition that a viewer meets by acting on one rule: the act qualifies them, and nobody is searched for.
 */
export interface ActCondition extends Condition {
  /** The viewers' acts. */
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

/** The comparison of a stored value with what rules ask for. */
interface Comparison {
  inSql(value: SQLWrapper, needed: SQLWrapper | number): SQL;
  isMet(value: number, needed: number): boolean;
  /** Returns the easiest of several rules' requirements. */
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

/** Returns a measure of progress that nothing exceeds; 0 where nothing is stored, which `least` would pass over. */
export const inThousandths = (measure: SQL): SQL<number> =>
  lesser(sql`coalesce(${measure}, ${bigint(0)})`, bigint(1000)) as SQL<number>;

export const nullableNumber = (value: unknown): number | null => (value === null ? null : Number(value));
