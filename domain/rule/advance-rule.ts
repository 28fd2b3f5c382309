import { eq } from 'drizzle-orm';
import { rules } from '#db/schema/rule.ts';
import { moveIn } from '#db/write.ts';
import { type ChannelTx, requireChannel } from '#domain/kernel/locks.ts';
import type { EventOf } from '#domain/kernel/machine.ts';
import { announce } from '#domain/outbox/announce.ts';
import { ruleMachine } from '#domain/rule/rule-machine.ts';

const moveRule = moveIn(rules, 'rule');

/**
 * Moves a rule to its next state; the only writer of `rules.state`. Returns false when the event is not
 * allowed in the current state.
 */
export async function advanceRule(
  tx: ChannelTx,
  ruleId: string,
  event: EventOf<typeof ruleMachine.table>,
  patch: Partial<
    Pick<
      typeof rules.$inferInsert,
      'pauseReason' | 'closedAtMs' | 'checkAfter' | 'pausedAtMs' | 'resumesAtMs' | 'remindsAtMs'
    >
  >,
  nowMs: number,
): Promise<boolean> {
  const [rule] = await tx.select().from(rules).where(eq(rules.id, ruleId));
  if (rule) requireChannel(tx, rule.channelId);
  const state = rule && ruleMachine.next(rule.state, event);
  if (!rule || !state || !(await moveRule(tx, rule, { ...patch, state }))) return false;
  await announce(tx, [{ userId: rule.ownerId, kind: 'rule.changed', subjectId: ruleId }], nowMs);
  return true;
}
