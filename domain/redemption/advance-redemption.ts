import { and, eq } from 'drizzle-orm';
import { is, within } from '#db/dialect.ts';
import { type RedemptionState, redemptions } from '#db/schema/redemption.ts';
import { rewards } from '#db/schema/reward.ts';
import { rules } from '#db/schema/rule.ts';
import { liveTransferStates, transfers } from '#db/schema/transfer.ts';
import { moveIn } from '#db/write.ts';
import { addToDay } from '#domain/channel/count-day.ts';
import type { ChannelTx } from '#domain/kernel/locks.ts';
import { announceRedemption } from '#domain/redemption/announce-redemption.ts';
import {
  type RedemptionEvent,
  redemptionMachine,
  settlementForEnd,
} from '#domain/redemption/redemption-machine.ts';
import { advanceReward } from '#domain/reward/advance-reward.ts';
import { notifyOwnerOfLoss } from '#domain/reward/notify-owner-of-loss.ts';
import { reofferItem } from '#domain/reward/reoffer-item.ts';
import { withdrawTransfer } from '#domain/transfer/withdraw-transfer.ts';

const moveRedemption = moveIn(redemptions, 'redemption');

/**
 * Moves a redemption to its next state; the only writer of `redemptions.state`. A refund made by hand on
 * Twitch also revokes the promise it paid for. Returns false when the event is not allowed in the current
 * state.
 */
export async function advanceRedemption(
  tx: ChannelTx,
  redemptionId: string,
  event: RedemptionEvent,
  nowMs: number,
): Promise<boolean> {
  const [redemption] = await tx.select().from(redemptions).where(eq(redemptions.id, redemptionId));
  const state = redemption && redemptionMachine.next(redemption.state, event);
  if (!redemption || !state) return false;
  if (!(await moveRedemption(tx, redemption, { state, ...factsOf(redemption.state, state, nowMs) })))
    return false;
  await countRefund(tx, redemption, state);
  if (state === 'refunded' && redemption.rewardId) await takePromiseBack(tx, redemption.rewardId, nowMs);
  await announceRedemption(tx, redemption, nowMs);
  return true;
}

/** Counts a refund on the day its points were spent, and takes it back when its end turns out to be wrong. */
async function countRefund(
  tx: ChannelTx,
  { ruleId, redeemedAtMs, state: from }: typeof redemptions.$inferSelect,
  to: RedemptionState,
): Promise<void> {
  const refunded = Number(to === 'refunded') - Number(from === 'refunded');
  if (refunded === 0) return;
  const [rule] = await tx.select({ channelId: rules.channelId }).from(rules).where(eq(rules.id, ruleId));
  if (rule) await addToDay(tx, { channelId: rule.channelId, atMs: redeemedAtMs, refunded });
}

/** A reopened redemption is due for settlement immediately, since its assumed end never happened on Twitch. */
const factsOf = (from: RedemptionState, to: RedemptionState, nowMs: number) =>
  to === 'open' && from !== 'open'
    ? { endedAtMs: null, settlement: settlementForEnd[from], runAtMs: 0, attempts: 0 }
    : { endedAtMs: nowMs, settlement: null };

/**
 * Recalls the promise so that the item goes to the next viewer. A claim is withdrawn: immediately while queued,
 * otherwise by cancelling its offer, and the promise ends when the offer ends undelivered. An item already delivered,
 * or accepted before the cancellation, stays with the viewer.
 */
async function takePromiseBack(tx: ChannelTx, rewardId: string, nowMs: number): Promise<void> {
  const recalled = await advanceReward(tx, rewardId, 'revoked', { recallReason: 'pointsGivenBack' }, nowMs);
  if (recalled) return reofferItem(tx, recalled, nowMs);
  const [claim] = await tx
    .select({ id: transfers.id })
    .from(transfers)
    .where(and(eq(transfers.rewardId, rewardId), within(transfers.state, liveTransferStates)));
  if (claim) await withdrawTransfer(tx, claim.id, { reason: 'redemptionUnmet' }, nowMs);
  else if (await isClaimed(tx, rewardId)) await notifyOwnerOfLoss(tx, rewardId, nowMs);
}

const isClaimed = async (tx: ChannelTx, rewardId: string): Promise<boolean> =>
  (await tx.$count(rewards, and(eq(rewards.id, rewardId), is(rewards.state, 'claimed')))) > 0;
