import { eq } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { rules } from '#db/schema/rule.ts';
import { type ChannelTx, channelLock } from '#domain/kernel/locks.ts';
import { done, type Outcome, refuse } from '#domain/kernel/outcome.ts';
import { announce } from '#domain/outbox/announce.ts';
import { evaluateRules } from '#domain/rule/evaluate-rules.ts';
import { findRuleOf } from '#domain/rule/find-rule.ts';
import { resumeRule, unpaused } from '#domain/rule/pause-rules.ts';

type Rule = typeof rules.$inferSelect;

/**
 * Ends the pause of a rule for its owner, and serves who waits. It stays paused if there is another reason. Ending it
 * twice changes nothing. Returns whether the rule is open.
 */
export async function endPause(
  db: Database,
  { ruleId, userId }: { ruleId: string; userId: string },
  nowMs: number,
): Promise<Outcome<{ open: boolean }, 'notFound' | 'ruleClosed'>> {
  const found = await findRuleOf(db.read, ruleId, userId);
  if (!found) return refuse('notFound');
  const outcome = await db.transaction(
    async (tx) => {
      // Read again under the channel's lock: it may have been closed or resumed meanwhile.
      const rule = await findRuleOf(tx, ruleId, userId);
      if (!rule || rule.state === 'closed') return refuse('ruleClosed');
      return done({ open: rule.state === 'open' || (await endPauseIn(tx, rule, nowMs)) });
    },
    { lock: channelLock(found.channelId) },
  );
  if (outcome.ok && outcome.open) await evaluateRules(db, [ruleId], nowMs);
  return outcome;
}

/**
 * Ends an owner's pause in the caller's transaction; after the commit, the caller evaluates the rule if it is open. Returns
 * whether it is.
 */
export async function endPauseIn(tx: ChannelTx, rule: Rule, nowMs: number): Promise<boolean> {
  await tx.update(rules).set(unpaused).where(eq(rules.id, rule.id));
  if (rule.pauseReason === 'owner') return resumeRule(tx, { ...rule, ...unpaused }, nowMs);
  await announce(tx, [{ userId: rule.ownerId, kind: 'rule.changed', subjectId: rule.id }], nowMs);
  return false;
}
