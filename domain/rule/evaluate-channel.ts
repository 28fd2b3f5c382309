import { and, eq } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { is } from '#db/dialect.ts';
import { rules } from '#db/schema/rule.ts';
import { finishChecks } from '#domain/rule/check-list.ts';
import { evaluateRules } from '#domain/rule/evaluate-rules.ts';
import { finishOpening } from '#domain/rule/open-rule.ts';

/**
 * Sweeps a channel: finishes rules that are opening and checks of waiting lists, then evaluates every registered viewer under every open rule,
 * which also serves the waiting lists, because a reward whose item was locked or missing may be available now. Runs
 * hourly, and after a change of follows. Returns the number of new qualifications.
 */
export async function evaluateChannel(db: Database, channelId: string, nowMs: number): Promise<number> {
  await finishOpening(db, channelId, nowMs);
  await finishChecks(db, channelId, nowMs);
  const open = await db.read
    .select({ id: rules.id })
    .from(rules)
    .where(and(eq(rules.channelId, channelId), is(rules.state, 'open')));
  return evaluateRules(
    db,
    open.map(({ id }) => id),
    nowMs,
  );
}
