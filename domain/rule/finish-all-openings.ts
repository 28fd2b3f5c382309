import type { Database } from '#db/database.ts';
import { rules } from '#db/schema/rule.ts';
import { evaluateRules } from '#domain/rule/evaluate-rules.ts';
import { finishOpening, isOpening } from '#domain/rule/open-rule.ts';

/** Opens the rules whose opening was interrupted, on every channel, and evaluates their viewers. */
export async function finishAllOpenings(db: Database, nowMs: number): Promise<void> {
  const begun = await db.read.selectDistinct({ channelId: rules.channelId }).from(rules).where(isOpening);
  for (const { channelId } of begun)
    await evaluateRules(db, await finishOpening(db, channelId, nowMs), nowMs);
}
