import { and, eq, lt, sql } from 'drizzle-orm';
import type { Tx } from '#db/database.ts';
import { rewards } from '#db/schema/reward.ts';

/** Gives the viewer back time that passed without their doing. */
export async function extendClaimWindow(tx: Tx, rewardId: string, waitedMs: number): Promise<void> {
  await tx
    .update(rewards)
    .set({
      claimUntilMs: sql`${rewards.claimUntilMs} + ${waitedMs}`,
      claimShiftedMs: sql`${rewards.claimShiftedMs} + ${waitedMs}`,
    })
    .where(eq(rewards.id, rewardId));
}

/** Lets the window last at least until then. */
export async function holdClaimWindow(tx: Tx, rewardId: string, untilMs: number): Promise<void> {
  await tx
    .update(rewards)
    .set({
      claimUntilMs: untilMs,
      claimShiftedMs: sql`${rewards.claimShiftedMs} + ${untilMs} - ${rewards.claimUntilMs}`,
    })
    .where(and(eq(rewards.id, rewardId), lt(rewards.claimUntilMs, untilMs)));
}
