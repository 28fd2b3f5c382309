import { and, eq, isNull, notExists, or, sql } from 'drizzle-orm';
import type { Reader } from '#db/database.ts';
import { type CorrectedValues, ruleCorrections, rules } from '#db/schema/rule.ts';
import { nullableNumber } from '#domain/condition/condition.ts';

/** A JSON null is the value of a condition that the rule had not: a missing key, of one that stayed as it was. */
const added = (key: keyof CorrectedValues) =>
  sql`cast(${ruleCorrections.before}->'${sql.raw(key)}' as text) = 'null'`;
const changed = (key: keyof CorrectedValues) => sql`${ruleCorrections.before}->'${sql.raw(key)}' is not null`;
const beginsCount = or(changed('watchScope'), added('watchMinutes'), added('attendedStreams'));

/**
 * From when everything counts that a rule counts from its own beginning, as a column of a query over rules; null if it
 * took the place of another, whose counts it has, or if a correction began a count: it counts from then on.
 */
export function countsFromMs(q: Reader) {
  const corrections = q
    .select({ one: sql`1` })
    .from(ruleCorrections)
    .where(and(eq(ruleCorrections.ruleId, rules.id), beginsCount));
  const isAsBegun = and(isNull(rules.succeedsId), notExists(corrections));
  return sql<number | null>`case when ${isAsBegun} then ${rules.createdAtMs} end`.mapWith(nullableNumber);
}
