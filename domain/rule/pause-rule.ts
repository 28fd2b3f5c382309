import { eq } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { rules } from '#db/schema/rule.ts';
import { channelLock } from '#domain/kernel/locks.ts';
import { done, type Outcome, refuse } from '#domain/kernel/outcome.ts';
import { day, minute } from '#domain/kernel/time.ts';
import { announce } from '#domain/outbox/announce.ts';
import { advanceRule } from '#domain/rule/advance-rule.ts';
import { findRuleOf } from '#domain/rule/find-rule.ts';

/** A short pause: time enough to correct a rule, or to tell viewers of it. */
export const SHORT_PAUSE_MS = 30 * minute;
const REMIND_AFTER_MS = day;

export type PauseRefusal = 'notFound' | 'ruleClosed';

/**
 * Pauses a rule for its owner, until `resumesAtMs` or, if that is null, until they resume it; then they are reminded
 * after a day. Nothing is promised meanwhile. What viewers do counts, promises can be claimed, and whoever waits keeps
 * their place. A rule that is paused for another reason stays so when that one ends. Pausing again sets the end anew.
 */
export async function pauseRule(
  db: Database,
  { ruleId, userId, resumesAtMs }: { ruleId: string; userId: string; resumesAtMs: number | null },
  nowMs: number,
): Promise<Outcome<object, PauseRefusal>> {
  const found = await findRuleOf(db.read, ruleId, userId);
  if (!found) return refuse('notFound');
  const pause = { resumesAtMs, remindsAtMs: resumesAtMs === null ? nowMs + REMIND_AFTER_MS : null };
  return db.transaction(
    async (tx) => {
      // Read again under the channel's lock: it may have been closed or paused meanwhile.
      const rule = await findRuleOf(tx, ruleId, userId);
      if (!rule || rule.state === 'closed') return refuse('ruleClosed');
      await tx
        .update(rules)
        .set({ pausedAtMs: rule.pausedAtMs ?? nowMs, ...pause })
        .where(eq(rules.id, ruleId));
      if (rule.state === 'open') await advanceRule(tx, ruleId, 'paused', { pauseReason: 'owner' }, nowMs);
      else await announce(tx, [{ userId, kind: 'rule.changed', subjectId: ruleId }], nowMs);
      return done({});
    },
    { lock: channelLock(found.channelId) },
  );
}
