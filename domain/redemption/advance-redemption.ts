import { and, eq } from 'drizzle-orm';
import type { Tx } from '#db/database.ts';
import { is, within } from '#db/dialect.ts';
import { type RedemptionState, redemptions } from '#db/schema/redemption.ts';
import { rewards } from '#db/schema/reward.ts';
import { liveTransferStates, transfers } from '#db/schema/transfer.ts';
import { moveIn } from '#db/write.ts';
import { announceRedemption } from '#domain/redemption/announce-redemption.ts';
import {
  type RedemptionEvent,
  redemptionMachine,
  settlementForEnd,
} from '#domain/redemption/redemption-machine.ts';
import { advanceReward } from '#domain/reward/advance-reward.ts';
import { reofferItem } from '#domain/reward/reoffer-item.ts';
import { withdrawTransfer } from '#domain/transfer/withdraw-transfer.ts';
import { notifyOwnerOfLoss } from './notify-owner-of-loss.ts';

const moveRedemption = moveIn(redemptions, 'redemption');

/**
 * The only writer of a redemption's state, under the channel's lock. False when the event may not happen now. Points
 * that the streamer gave back by hand take their promise with them.
 */
export async function advanceRedemption(
  tx: Tx,
  redemptionId: string,
  event: RedemptionEvent,
  nowMs: number,
): Promise<boolean> {
  const [redemption] = await tx.select().from(redemptions).where(eq(redemptions.id, redemptionId));
  const state = redemption && redemptionMachine.next(redemption.state, event);
  if (!redemption || !state) return false;
  if (!(await moveRedemption(tx, redemption, { state, ...factsOf(redemption.state, state, nowMs) })))
    return false;
  if (state === 'refunded' && redemption.rewardId) await takePromiseBack(tx, redemption.rewardId, nowMs);
  await announceRedemption(tx, redemption, nowMs);
  return true;
}

/** Twitch is told at once what it turned out not to have done. */
const factsOf = (from: RedemptionState, to: RedemptionState, nowMs: number) =>
  to === 'open' && from !== 'open'
    ? { endedAtMs: null, settlement: settlementForEnd[from], runAtMs: 0, attempts: 0 }
    : { endedAtMs: nowMs, settlement: null };

/**
 * A promise goes to the next viewer. A claim is taken back with it: at once while it is queued, else by cancelling its
 * offer, and the promise ends when that has ended undelivered. Who was faster, or has the reward already, keeps it.
 */
async function takePromiseBack(tx: Tx, rewardId: string, nowMs: number): Promise<void> {
  const recalled = await advanceReward(tx, rewardId, 'revoked', { recallReason: 'pointsGivenBack' }, nowMs);
  if (recalled) return reofferItem(tx, recalled, nowMs);
  const [claim] = await tx
    .select({ id: transfers.id })
    .from(transfers)
    .where(and(eq(transfers.rewardId, rewardId), within(transfers.state, liveTransferStates)));
  if (claim) await withdrawTransfer(tx, claim.id, { reason: 'redemptionUnmet' }, nowMs);
  else if (await isClaimed(tx, rewardId)) await notifyOwnerOfLoss(tx, rewardId, nowMs);
}

const isClaimed = async (tx: Tx, rewardId: string): Promise<boolean> =>
  (await tx.$count(rewards, and(eq(rewards.id, rewardId), is(rewards.state, 'claimed')))) > 0;
