import { and, eq, inArray, isNotNull, lt, sql } from 'drizzle-orm';
import { is, lesser, within } from '#db/dialect.ts';
import { raffleEntries, raffles } from '#db/schema/raffle.ts';
import { pendingRewardStates, rewards } from '#db/schema/reward.ts';
import { rules } from '#db/schema/rule.ts';
import type { ChannelTx } from '#domain/kernel/locks.ts';
import { announce } from '#domain/outbox/announce.ts';
import { recordGivenBack } from '#domain/transfer/own-delay.ts';

/**
 * Lets a frozen rule go on. Its viewers get back the time of the freeze, or as much of it as followed their
 * promise, and so do winners of raffles for whom a place is kept. After the commit the caller serves the waiting list. Does nothing to a rule that is not frozen, so
 * no window is extended twice.
 */
export async function thawRule(tx: ChannelTx, { ruleId }: { ruleId: string }, nowMs: number): Promise<void> {
  const [rule] = await tx
    .select({ ownerId: rules.ownerId, frozenAtMs: rules.frozenAtMs })
    .from(rules)
    .where(and(eq(rules.id, ruleId), isNotNull(rules.frozenAtMs)));
  if (!rule || rule.frozenAtMs === null) return;
  // The clock may have been set back.
  const lastedMs = Math.max(0, nowMs - rule.frozenAtMs);
  const lostMs = lesser(lastedMs, sql`${nowMs} - ${rewards.promisedAtMs}`);
  const moved = await tx
    .update(rewards)
    .set({
      claimUntilMs: sql`${rewards.claimUntilMs} + ${lostMs}`,
      claimShiftedMs: sql`${rewards.claimShiftedMs} + ${lostMs}`,
    })
    .where(
      and(
        eq(rewards.ruleId, ruleId),
        within(rewards.state, pendingRewardStates),
        lt(rewards.promisedAtMs, nowMs),
      ),
    )
    .returning({ id: rewards.id, userId: rewards.userId });
  const rewardIds = moved.map(({ id }) => id);
  await recordGivenBack(tx, { rewardIds, sinceMs: nowMs - lastedMs }, nowMs);
  const raffle = tx.select({ id: raffles.id }).from(raffles).where(eq(raffles.ruleId, ruleId));
  await tx
    .update(raffleEntries)
    .set({ heldUntilMs: sql`${raffleEntries.heldUntilMs} + ${lastedMs}` })
    .where(and(inArray(raffleEntries.raffleId, raffle), is(raffleEntries.placeState, 'held')));
  await tx.update(rules).set({ frozenAtMs: null }).where(eq(rules.id, ruleId));
  const viewers = moved.flatMap(({ id: subjectId, userId }) =>
    userId ? [{ userId, kind: 'reward.changed' as const, subjectId }] : [],
  );
  const owner = { userId: rule.ownerId, kind: 'rule.changed' as const, subjectId: ruleId };
  await announce(tx, [owner, ...viewers], nowMs);
}
