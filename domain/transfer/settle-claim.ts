import { eq, sql } from 'drizzle-orm';
import { rewards } from '#db/schema/reward.ts';
import { rules } from '#db/schema/rule.ts';
import { statement } from '#db/statement.ts';
import { findSendingStop } from '#domain/bot/find-sending-stop.ts';
import { listOpenOutages } from '#domain/bot/open-outages.ts';
import type { ChannelTx } from '#domain/kernel/locks.ts';
import { advanceReward } from '#domain/reward/advance-reward.ts';
import { endStoppedClaim } from '#domain/reward/end-stopped-claim.ts';
import { notifyOwnerOfLateStop } from '#domain/reward/notify-owner-of-late-stop.ts';
import { notifyOwnerOfLoss } from '#domain/reward/notify-owner-of-loss.ts';
import { reofferItem } from '#domain/reward/reoffer-item.ts';
import { wasRefunded } from '#domain/reward/was-refunded.ts';
import {
  notifyOfClaimToRepeat,
  notifyOfDelivery,
  notifyOfFailedClaim,
  pushDelivery,
} from './notify-of-claim.ts';

const readClaim = statement('reward_claim', (tx) =>
  tx
    .select({
      claimUntilMs: rewards.claimUntilMs,
      stopReason: rewards.stopReason,
      frozenAtMs: rules.frozenAtMs,
    })
    .from(rewards)
    .innerJoin(rules, eq(rules.id, rewards.ruleId))
    .where(eq(rewards.id, sql.placeholder('id'))),
);

/**
 * Marks the reward claimed. The owner is notified if its points were already refunded, because that is a
 * loss, and also if they had asked to stop the claim.
 */
export async function rewardDelivered(tx: ChannelTx, rewardId: string, nowMs: number): Promise<void> {
  const claimed = await advanceReward(tx, rewardId, 'delivered', { claimedAtMs: nowMs }, nowMs);
  if (!claimed) return;
  await notifyOfDelivery(tx, rewardId, nowMs);
  await pushDelivery(tx, rewardId, nowMs);
  if (await wasRefunded(tx, rewardId)) await notifyOwnerOfLoss(tx, rewardId, nowMs);
  await notifyOwnerOfLateStop(tx, rewardId, nowMs);
}

/**
 * Ends a claim whose offer ended without delivery. If the owner stopped the claim, the promise ends too.
 * Otherwise the viewer may claim again while the window is open or still to be extended; after that the item
 * goes to the next viewer.
 */
export async function rewardUndelivered(tx: ChannelTx, rewardId: string, nowMs: number): Promise<void> {
  const [claim] = await readClaim(tx, { id: rewardId });
  if (claim?.stopReason) {
    await endStoppedClaim(tx, rewardId, 'offerStopped', { stopReason: claim.stopReason }, nowMs);
    return;
  }
  const open =
    claim?.claimUntilMs != null &&
    (nowMs < claim.claimUntilMs || claim.frozenAtMs !== null || (await willBeExtended(tx)));
  if (open) {
    const again = await advanceReward(tx, rewardId, 'offerEnded', { steamId: null }, nowMs);
    if (!again) return;
    if (await wasRefunded(tx, rewardId)) await revokePromise(tx, rewardId, nowMs);
    else await notifyOfClaimToRepeat(tx, rewardId, nowMs);
    return;
  }
  const recallReason = (await wasRefunded(tx, rewardId)) ? 'pointsGivenBack' : 'timedOut';
  const late = await advanceReward(tx, rewardId, 'offerEndedLate', { steamId: null, recallReason }, nowMs);
  if (!late) return;
  await notifyOfFailedClaim(tx, rewardId, nowMs);
  await reofferItem(tx, late, nowMs);
}

/**
 * Returns whether all windows are about to be extended: at the end of a stop of sending, or by an outage that
 * is over. The end of a freeze extends those of its own rule.
 */
const willBeExtended = async (tx: ChannelTx): Promise<boolean> =>
  (await findSendingStop(tx)) !== null || (await listOpenOutages(tx)).length > 0;

/** Revokes a promise whose points were refunded while its claim was in progress. */
async function revokePromise(tx: ChannelTx, rewardId: string, nowMs: number): Promise<void> {
  const revoked = await advanceReward(tx, rewardId, 'revoked', { recallReason: 'pointsGivenBack' }, nowMs);
  if (revoked) await reofferItem(tx, revoked, nowMs);
}

/** Recalls a reward whose delivery Trade Protection reversed; its item goes to the next viewer. */
export async function rewardReversed(tx: ChannelTx, rewardId: string, nowMs: number): Promise<void> {
  const back = await advanceReward(tx, rewardId, 'reversed', { recallReason: 'reversed' }, nowMs);
  if (back) await reofferItem(tx, back, nowMs);
}
