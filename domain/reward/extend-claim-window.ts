import { and, eq, lt, sql } from 'drizzle-orm';
import type { Tx } from '#db/database.ts';
import { rewards } from '#db/schema/reward.ts';

/** Extends the claim window by time that passed through no fault of the viewer. */
export async function extendClaimWindow(tx: Tx, rewardId: string, waitedMs: number): Promise<void> {
  await tx
    .update(rewards)
    .set({
      claimUntilMs: sql`${rewards.claimUntilMs} + ${waitedMs}`,
      claimShiftedMs: sql`${rewards.claimShiftedMs} + ${waitedMs}`,
    })
    .where(eq(rewards.id, rewardId));
}

/** Makes the window last at least until this time. */
export async function holdClaimWindow(tx: Tx, rewardId: string, untilMs: number): Promise<void> {
  await tx
    .update(rewards)
    .set({
      claimUntilMs: untilMs,
      claimShiftedMs: sql`${rewards.claimShiftedMs} + ${untilMs} - ${rewards.claimUntilMs}`,
    })
    .where(and(eq(rewards.id, rewardId), lt(rewards.claimUntilMs, untilMs)));
}
