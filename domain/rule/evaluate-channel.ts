import { and, eq } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { is } from '#db/dialect.ts';
import { rules } from '#db/schema/rule.ts';
import { evaluateRules } from '#domain/rule/evaluate-rules.ts';
import { finishOpening } from '#domain/rule/open-rule.ts';

/**
 * Evaluates every registered viewer under every open rule of a channel: the full sweep, hourly and after
 * follows change. Also serves the waiting lists, because a reward whose item was locked or missing may be
 * available now. Returns the number of new qualifications.
 */
export async function evaluateChannel(db: Database, channelId: string, nowMs: number): Promise<number> {
  await finishOpening(db, channelId, nowMs);
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
