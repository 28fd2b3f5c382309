import { and, count, eq, getTableColumns, isNotNull, type SQL, sql } from 'drizzle-orm';
import type { Database, Reader } from '#db/database.ts';
import { isAmong } from '#db/dialect.ts';
import { twitchAccounts } from '#db/schema/account.ts';
import { rewards } from '#db/schema/reward.ts';
import { rules } from '#db/schema/rule.ts';
import { areEased, conditionsOf } from '#domain/condition/conditions.ts';
import { lineOf, lineOfRule } from '#domain/draw/rule-line.ts';
import { countedAnew } from '#domain/rule/begin-counting.ts';
import type { Correction } from '#domain/rule/correct-rule.ts';
import type { OwnedRule } from '#domain/rule/find-rule.ts';
import { countLeaving } from '#domain/rule/leave-list.ts';
import { mayHaveMet } from '#domain/rule/may-have-met.ts';
import { findNewcomers } from '#domain/rule/qualify.ts';

/** Maximum number of viewers evaluated per query. */
const AT_ONCE = 1000;

/** Everybody whom a correction touches, at the time of counting. */
export interface CorrectionPreview {
  /** Number of viewers who would meet the rule then and are not on its list. */
  newly: number;
  /** Number of viewers who wait for a reward already: they are served first. */
  waiting: number;
  /** Number of those who wait and would not meet the rule any more. */
  leaving: number;
  free: number;
  /** Number of viewers who were ever promised a reward of the rule, or of one whose place it took: they get no second one. */
  promised: number;
}

/**
 * Counts whom a correction would touch if the rule were open. Nothing is written: viewers are searched as after
 * the correction, under a rule that has its values.
 */
export async function previewCorrection(
  db: Database,
  {
    rule,
    wanted,
  }: {
    rule: OwnedRule &
      Correction & {
        channelId: string;
        createdAtMs: number;
        succeedsId: string | null;
        waiting: number;
        pool: { free: number };
      };
    wanted: Correction;
  },
  nowMs: number,
): Promise<CorrectionPreview> {
  const { id, waiting, pool } = rule;
  const promised = await countPromised(db, id);
  // Conditions that are counted anew stand at nothing for everybody.
  if (countedAnew(rule, wanted).length > 0)
    return { newly: 0, waiting, leaving: waiting, free: pool.free, promised };
  const corrected = correctedRule(db.read, id, wanted);
  const newly = await countNewly(db, { rule, wanted, corrected }, nowMs);
  const leaving = areEased(rule, wanted) ? 0 : await countLeaving(db.read, { rule, from: corrected }, nowMs);
  return { newly, waiting, leaving, free: pool.free, promised };
}

async function countNewly(
  db: Database,
  {
    rule: { id, channelId },
    wanted,
    corrected,
  }: { rule: { id: string; channelId: string }; wanted: Correction; corrected: typeof rules },
  nowMs: number,
): Promise<number> {
  const newly = new Set<string>();
  for await (const viewers of mayHaveMet(db.read, [{ id, channelId, ...conditionsOf(wanted) }], nowMs))
    for (let from = 0; from < viewers.length; from += AT_ONCE) {
      const among = isAmong(twitchAccounts.twitchId, viewers.slice(from, from + AT_ONCE));
      const found = await findNewcomers(db.read, { rules: eq(rules.id, id), among }, nowMs, corrected);
      for (const { twitchId } of found) newly.add(twitchId);
    }
  return newly.size;
}

/** A table with one row, the rule as it would be, under the name of the table of rules. */
function correctedRule(q: Reader, ruleId: string, wanted: Correction): typeof rules {
  const values: Record<string, string | number | null> = { ...conditionsOf(wanted), state: 'open' };
  const columns = Object.entries(getTableColumns(rules)).map(
    ([key, column]): [string, SQL.Aliased | typeof column] => {
      const value = values[key];
      if (value === undefined) return [key, column];
      const type = typeof value === 'string' ? sql.raw('text') : sql.raw('bigint');
      return [key, sql`cast(${value} as ${type})`.as(column.name)];
    },
  );
  const row = q
    .select(Object.fromEntries(columns) as { id: typeof rules.id })
    .from(rules)
    .where(eq(rules.id, ruleId));
  return row.as('rules') as unknown as typeof rules;
}

async function countPromised({ read }: Database, ruleId: string): Promise<number> {
  const [row] = await read
    .select({ viewers: count() })
    .from(rules)
    .innerJoin(rewards, eq(lineOf(rewards), lineOfRule(rules)))
    .where(and(eq(rules.id, ruleId), isNotNull(rewards.twitchId)));
  return row?.viewers ?? 0;
}
