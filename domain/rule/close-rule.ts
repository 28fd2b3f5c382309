import { and, eq } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { is } from '#db/dialect.ts';
import { rewards } from '#db/schema/reward.ts';
import { type ChannelTx, channelLock } from '#domain/locks.ts';
import { done, type Outcome, refuse } from '#domain/outcome.ts';
import { advanceReward } from '#domain/reward/advance-reward.ts';
import { advanceRule } from '#domain/rule/advance-rule.ts';
import { findRuleOf } from '#domain/rule/find-rule.ts';
import { fitRules, hasRulesOverLimit } from '#domain/subscription/fit-rules.ts';

/**
 * Closes a rule for good: free rewards detach immediately and their items become unassigned; promised and reserved
 * rewards run to their end. A rule that was over the plan's limit takes its place. Closing twice returns the same
 * result.
 */
export async function closeRule(
  database: Database,
  { ruleId, userId }: { ruleId: string; userId: string },
  nowMs: number,
): Promise<Outcome<{ detached: number }, 'notFound'>> {
  const rule = await findRuleOf(database.read, ruleId, userId);
  if (!rule) return refuse('notFound');
  const lock = channelLock(rule.channelId);
  const detached = await database.transaction((tx) => closeRuleIn(tx, ruleId, nowMs), { lock });
  if (await hasRulesOverLimit(database, userId)) await fitRules(database, userId, nowMs);
  return done({ detached });
}

/** Like `closeRule`, in the caller's transaction. Returns how many rewards detached. */
export async function closeRuleIn(tx: ChannelTx, ruleId: string, nowMs: number): Promise<number> {
  if (!(await advanceRule(tx, ruleId, 'closed', { closedAtMs: nowMs }, nowMs))) return 0;
  const free = await tx
    .select({ id: rewards.id })
    .from(rewards)
    .where(and(eq(rewards.ruleId, ruleId), is(rewards.state, 'free')));
  for (const { id } of free) await advanceReward(tx, id, 'detached', { recallReason: 'ruleClosed' }, nowMs);
  return free.length;
}
