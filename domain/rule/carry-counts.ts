import { and, eq, getTableColumns, isNull, type SQL, sql } from 'drizzle-orm';
import type { Tx } from '#db/database.ts';
import { qualifications, type rules } from '#db/schema/rule.ts';
import { countingTables } from '#domain/condition/conditions.ts';
import { lowerRuleChecks } from '#domain/condition/next-check.ts';
import { inSlice, type ViewerSlice } from '#domain/kernel/viewer-slice.ts';

type Rule = typeof rules.$inferSelect;
type Table = typeof qualifications;

/** All of them have a row for each rule and viewer. */
const tables: readonly Table[] = countingTables as unknown as Table[];

/** Copies rows of a rule to the one that takes its place. */
async function copyRows(tx: Tx, table: Table, { from, to }: { from: string; to: string }, which?: SQL) {
  const { ruleId: _, ...others } = getTableColumns(table);
  const values = { ruleId: sql`cast(${to} as text)`.as('rule_id'), ...others };
  await tx
    .insert(table)
    .select(
      tx
        .select(values)
        .from(table)
        .where(and(eq(table.ruleId, from), which)) as never,
    )
    .onConflictDoNothing();
}

/**
 * Carries over what a rule has counted for a slice of viewers, and looks at them when they reach the new one. Places in
 * line come too, and who was promised a reward, unless they can be promised another.
 */
export async function carryOver(
  tx: Tx,
  { from, to }: { from: Rule; to: Rule },
  slice: ViewerSlice,
): Promise<void> {
  const both = { from: from.id, to: to.id };
  for (const table of tables) await copyRows(tx, table, both, inSlice(slice, table.twitchId));
  const again = to.lineId === null;
  const which = and(
    inSlice(slice, qualifications.twitchId),
    again ? isNull(qualifications.promisedAtMs) : undefined,
  );
  await copyRows(tx, qualifications, both, which);
  await lowerRuleChecks(tx, to, slice);
}
