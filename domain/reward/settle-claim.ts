import { eq, sql } from 'drizzle-orm';
import type { Tx } from '#db/database.ts';
import { rewards } from '#db/schema/reward.ts';
import { statement } from '#db/statement.ts';
import { notifyOwnerOfLoss } from '#domain/redemption/notify-owner-of-loss.ts';
import { wasRefunded } from '#domain/redemption/was-refunded.ts';
import { advanceReward } from '#domain/reward/advance-reward.ts';
import { reofferItem } from './reoffer-item.ts';

const readClaim = statement('reward_claim', (tx) =>
  tx
    .select({ claimUntilMs: rewards.claimUntilMs })
    .from(rewards)
    .where(eq(rewards.id, sql.placeholder('id'))),
);

/** The viewer has the item, even when the points came back before and the offer was accepted all the same. */
export async function rewardDelivered(tx: Tx, rewardId: string, nowMs: number): Promise<void> {
  const claimed = await advanceReward(tx, rewardId, 'delivered', { claimedAtMs: nowMs }, nowMs);
  if (claimed && (await wasRefunded(tx, rewardId))) await notifyOwnerOfLoss(tx, rewardId, nowMs);
}

/** The offer ended undelivered: the viewer may claim again while the window is open, else the reward passes on. */
export async function rewardUndelivered(tx: Tx, rewardId: string, nowMs: number): Promise<void> {
  const [claim] = await readClaim(tx, { id: rewardId });
  const open = claim?.claimUntilMs != null && nowMs < claim.claimUntilMs;
  if (open) {
    const again = await advanceReward(tx, rewardId, 'offerEnded', { steamId: null }, nowMs);
    if (again && (await wasRefunded(tx, rewardId))) await promiseLostItsGround(tx, rewardId, nowMs);
    return;
  }
  const recallReason = (await wasRefunded(tx, rewardId)) ? 'pointsGivenBack' : 'timedOut';
  const late = await advanceReward(tx, rewardId, 'timedOut', { steamId: null, recallReason }, nowMs);
  if (late) await reofferItem(tx, late, nowMs);
}

/** The points that were spent on it were given back while its claim was under way. */
async function promiseLostItsGround(tx: Tx, rewardId: string, nowMs: number): Promise<void> {
  const revoked = await advanceReward(tx, rewardId, 'revoked', { recallReason: 'pointsGivenBack' }, nowMs);
  if (revoked) await reofferItem(tx, revoked, nowMs);
}

/** Trade Protection brought a delivered item back: the claim is undone, the item passes on. */
export async function rewardReversed(tx: Tx, rewardId: string, nowMs: number): Promise<void> {
  const back = await advanceReward(tx, rewardId, 'reversed', { recallReason: 'reversed' }, nowMs);
  if (back) await reofferItem(tx, back, nowMs);
}
