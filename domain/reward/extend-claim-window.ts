import { eq, sql } from 'drizzle-orm';
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
