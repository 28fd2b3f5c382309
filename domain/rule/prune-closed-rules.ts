import { and, asc, eq, inArray, isNull, lt, notExists, sql } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { within } from '#db/dialect.ts';
import { rewards } from '#db/schema/reward.ts';
import { qualifications, rules } from '#db/schema/rule.ts';
import { countingTables } from '#domain/condition/conditions.ts';
import { day } from '#domain/kernel/time.ts';

/** The tables with rows for each rule and viewer. */
const tables = [qualifications, ...countingTables] as (typeof qualifications)[];

/** A closed rule's waiting list and qualifications stay visible on its page and in exports for this long. */
const RETENTION_MS = 30 * day;
/** Rows deleted per transaction, so that other writes get in between. */
const ROWS_AT_ONCE = 2000;
/** Maximum transactions per call; the next call continues. */
const MAX_SLICES = 200;

/**
 * Deletes waiting lists, qualifications and baselines of rules closed long ago. Rules with unfinished promises are
 * kept whole; promises and draws are recorded in rewards and draws, which stay. Returns how many rows were deleted.
 */
export async function pruneClosedRules(db: Database, nowMs: number): Promise<number> {
  let pruned = 0;
  for (let slice = 0; slice < MAX_SLICES; slice++) {
    const ruleId = await nextToPrune(db, nowMs);
    if (!ruleId) break;
    pruned += await pruneSome(db, ruleId, nowMs);
  }
  return pruned;
}

async function nextToPrune({ read }: Database, nowMs: number): Promise<string | null> {
  const running = read
    .select({ one: sql`1` })
    .from(rewards)
    .where(and(eq(rewards.ruleId, rules.id), within(rewards.state, ['promised', 'reserved'])));
  const [rule] = await read
    .select({ id: rules.id })
    .from(rules)
    .where(
      and(
        // Leaves out the state, by whose index SQLite would read all rules that were ever closed.
        isNull(rules.prunedAtMs),
        lt(rules.closedAtMs, nowMs - RETENTION_MS),
        notExists(running),
      ),
    )
    .orderBy(asc(rules.closedAtMs))
    .limit(1);
  return rule?.id ?? null;
}

/** Closing is final and all promises have ended, so no rows are added any more. */
async function pruneSome(db: Database, ruleId: string, nowMs: number): Promise<number> {
  return db.transaction(async (tx) => {
    let pruned = 0;
    for (const table of tables) {
      const next = tx
        .select({ twitchId: table.twitchId })
        .from(table)
        .where(eq(table.ruleId, ruleId))
        .orderBy(asc(table.twitchId))
        .limit(ROWS_AT_ONCE - pruned);
      const deleted = await tx
        .delete(table)
        .where(and(eq(table.ruleId, ruleId), inArray(table.twitchId, next)))
        .returning({ twitchId: table.twitchId });
      pruned += deleted.length;
      if (pruned >= ROWS_AT_ONCE) return pruned;
    }
    await tx.update(rules).set({ prunedAtMs: nowMs }).where(eq(rules.id, ruleId));
    return pruned;
  });
}
