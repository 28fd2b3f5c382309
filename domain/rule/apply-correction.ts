import { eq } from 'drizzle-orm';
import type { Database, Reader } from '#db/database.ts';
import { ruleCorrections, rules } from '#db/schema/rule.ts';
import { done, type Outcome } from '#domain/kernel/outcome.ts';
import { type CorrectionRefusal, type CorrectionRequest, correctRule } from '#domain/rule/correct-rule.ts';
import type { CorrectionMode } from '#domain/rule/correction-mode.ts';
import { type SuccessionRefusal, succeedRule } from '#domain/rule/succeed-rule.ts';

/**
 * Corrects a rule in place, or lets a harder one take its place. Returns the rule that counts afterwards, and whether
 * an earlier request with the same id had done it. See `correctRule` and `succeedRule`.
 */
export async function applyCorrection(
  db: Database,
  { mode, again, ...request }: CorrectionRequest & { mode: CorrectionMode; again: boolean },
  nowMs: number,
): Promise<Outcome<{ ruleId: string; repeated: boolean }, CorrectionRefusal | SuccessionRefusal>> {
  if (mode === 'succeed') {
    const repeated = await isApplied(db.read, request);
    const opened = await succeedRule(db, { ...request, again }, nowMs);
    return opened.ok ? done({ ruleId: opened.ruleId, repeated }) : opened;
  }
  const corrected = await correctRule(db, request, nowMs);
  return corrected.ok ? done({ ruleId: request.ruleId, repeated: corrected.repeated }) : corrected;
}

/** Returns whether a request has changed the rule before: its id is that of a correction or of the rule's successor. */
export async function isApplied(
  q: Reader,
  { requestId, ruleId }: { requestId: string; ruleId: string },
): Promise<boolean> {
  const [correction] = await q
    .select({ ruleId: ruleCorrections.ruleId })
    .from(ruleCorrections)
    .where(eq(ruleCorrections.id, requestId));
  const [successor] = await q.select({ ruleId: rules.succeedsId }).from(rules).where(eq(rules.id, requestId));
  return correction?.ruleId === ruleId || successor?.ruleId === ruleId;
}
