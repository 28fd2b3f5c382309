import { and, eq, sql } from 'drizzle-orm';
import { within } from '#db/dialect.ts';
import { pendingRewardStates, rewards } from '#db/schema/reward.ts';
import type { ChannelTx } from '#domain/kernel/locks.ts';
import { announce } from '#domain/outbox/announce.ts';

/** Makes the windows of all open promises of a rule longer, those of claims under way too. */
export async function lengthenClaimWindows(
  tx: ChannelTx,
  { ruleId, longerMs }: { ruleId: string; longerMs: number },
  nowMs: number,
): Promise<void> {
  const longer = await tx
    .update(rewards)
    .set({ claimUntilMs: sql`${rewards.claimUntilMs} + ${longerMs}` })
    .where(and(eq(rewards.ruleId, ruleId), within(rewards.state, pendingRewardStates)))
    .returning({ id: rewards.id, userId: rewards.userId });
  const changed = longer.flatMap(({ id: subjectId, userId }) =>
    userId ? [{ userId, kind: 'reward.changed' as const, subjectId }] : [],
  );
  await announce(tx, changed, nowMs);
}
