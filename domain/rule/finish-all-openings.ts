import type { Database } from '#db/database.ts';
import { rules } from '#db/schema/rule.ts';
import { finishChecks, isToCheck } from '#domain/rule/check-list.ts';
import { evaluateRules } from '#domain/rule/evaluate-rules.ts';
import { finishOpening, isOpening } from '#domain/rule/open-rule.ts';

/**
 * Opens the rules whose opening was interrupted, and checks the waiting lists of those that became harder, on every
 * channel, and evaluates their viewers.
 */
export async function finishAllOpenings(db: Database, nowMs: number): Promise<void> {
  // Two queries, because each of the conditions has an index.
  const opening = await db.read.selectDistinct({ channelId: rules.channelId }).from(rules).where(isOpening);
  const toCheck = await db.read.selectDistinct({ channelId: rules.channelId }).from(rules).where(isToCheck);
  for (const channelId of new Set([...opening, ...toCheck].map((rule) => rule.channelId))) {
    const opened = await finishOpening(db, channelId, nowMs);
    const checked = await finishChecks(db, channelId, nowMs);
    await evaluateRules(db, [...new Set([...opened, ...checked])], nowMs);
  }
}
