import { and, eq } from 'drizzle-orm';
import { type Database, holdLock } from '#db/database.ts';
import { is } from '#db/dialect.ts';
import { rewards } from '#db/schema/reward.ts';
import { rules } from '#db/schema/rule.ts';
import { notifyOfChange } from '#domain/identity/notify-of-change.ts';
import { type ChannelTx, channelLock, rulesLock } from '#domain/kernel/locks.ts';
import { done, type Outcome, refuse } from '#domain/kernel/outcome.ts';
import { advanceRule } from '#domain/rule/advance-rule.ts';
import { closingOf } from '#domain/rule/closes-all-rules.ts';
import { detachFree } from '#domain/rule/detach-rewards.ts';
import { findRuleOf } from '#domain/rule/find-rule.ts';
import { fitRules, hasRulesOverLimit } from '#domain/rule/fit-rules.ts';
import { unpaused } from '#domain/rule/pause-rules.ts';

/**
 * Closes a rule for good: free rewards detach immediately and their items become unassigned; promised and
 * reserved rewards run to their end. Its slot goes to a rule that was over the plan's limit. Closing twice
 * returns the same result. Closing all rules is refused while the caller is `unconfirmed` (see
 * `closesAllRules`), and the owner is mailed about it.
 */
export async function closeRule(
  db: Database,
  { ruleId, userId, unconfirmed = false }: { ruleId: string; userId: string; unconfirmed?: boolean },
  nowMs: number,
): Promise<Outcome<{ detached: number }, 'notFound' | 'identityUnconfirmed'>> {
  const rule = await findRuleOf(db.read, ruleId, userId);
  if (!rule) return refuse('notFound');
  const lock = channelLock(rule.channelId);
  const outcome = await db.transaction(
    async (tx) => {
      // Without this lock, the last two rules could be closed on two channels at once, each as if the other
      // stayed.
      await holdLock(tx, rulesLock(userId));
      const { needsProof, isReported } = await closingOf(tx, { ruleId, userId }, nowMs);
      if (needsProof && unconfirmed) return refuse('identityUnconfirmed');
      if (isReported) await notifyOfChange(tx, { userId, change: 'rulesClosed' }, nowMs);
      return done({ detached: await closeRuleIn(tx, ruleId, nowMs) });
    },
    { lock },
  );
  if (outcome.ok && (await hasRulesOverLimit(db, userId))) await fitRules(db, userId, nowMs);
  return outcome;
}

/** Like `closeRule`, in the caller's transaction. Returns how many rewards detached. */
export async function closeRuleIn(tx: ChannelTx, ruleId: string, nowMs: number): Promise<number> {
  if (!(await advanceRule(tx, ruleId, 'closed', { closedAtMs: nowMs, checkAfter: null, ...unpaused }, nowMs)))
    return 0;
  const free = await tx
    .select({ id: rewards.id, ownerId: rules.ownerId })
    .from(rewards)
    .innerJoin(rules, eq(rules.id, rewards.ruleId))
    .where(and(eq(rewards.ruleId, ruleId), is(rewards.state, 'free')));
  const [first] = free;
  if (!first) return 0;
  const ids = free.map(({ id }) => id);
  return detachFree(tx, { ownerId: first.ownerId, ids, recallReason: 'ruleClosed' }, nowMs);
}
