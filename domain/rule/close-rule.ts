import { and, eq } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { is } from '#db/dialect.ts';
import { rewards } from '#db/schema/reward.ts';
import { type ChannelTx, channelLock } from '#domain/locks.ts';
import { done, type Outcome, refuse } from '#domain/outcome.ts';
import { advanceReward } from '#domain/reward/advance-reward.ts';
import { advanceRule } from '#domain/rule/advance-rule.ts';
import { findRuleOf } from '#domain/rule/find-rule.ts';

/**
 * Closes a rule for good: free rewards detach immediately and their items become unassigned; promised and reserved
 * rewards run to their end. Closing twice returns the same result.
 */
export async function closeRule(
  database: Database,
  { ruleId, userId }: { ruleId: string; userId: string },
  nowMs: number,
): Promise<Outcome<{ detached: number }, 'notFound'>> {
  const rule = await findRuleOf(database.read, ruleId, userId);
  if (!rule) return refuse('notFound');
  return database.transaction(async (tx) => done({ detached: await closeRuleIn(tx, ruleId, nowMs) }), {
    lock: channelLock(rule.channelId),
  });
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
