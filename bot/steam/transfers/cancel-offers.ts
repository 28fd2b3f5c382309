import type { SteamAccount } from '#bot/steam/steam-account.ts';
import type { NextDue } from '#bot/worker.ts';
import { withdrawFrozen } from '#domain/freeze/frozen-transfers.ts';
import { hour } from '#domain/kernel/time.ts';
import {
  type BotTransfer,
  listTransfersToCancel,
  nextCancelMs,
} from '#domain/transfer/list-bot-transfers.ts';
import { reportTransfer } from '#domain/transfer/report-transfer.ts';
import { applyOffer } from './apply-offer.ts';
import { isArrivalPaused } from './arrivals.ts';
import { findOffer } from './find-offer.ts';
import { isForeignOffer, isOpen } from './own-offers.ts';
import type { TransferWork } from './transfer-work.ts';

/**
 * Cancels offers that were not answered in time, were frozen, or whose transfer is to be withdrawn. An offer
 * is read before, because an ended offer needs no cancelling, and again afterwards, because it may have been
 * accepted a moment before.
 */
export async function cancelOffers(work: TransferWork, signal: AbortSignal): Promise<NextDue> {
  const account = work.account();
  if (!account) return null;
  const { db, clock } = work.deps;
  const nowMs = clock.now();
  await withdrawFrozen(db, work, nowMs);
  const listed = await listTransfersToCancel(db.read, work, nowMs);
  // Leaves an accepted deposit that is not found yet to the workers that follow its offer.
  const unanswered = listed.filter((transfer) => !isArrivalPaused(work, transfer));
  const due = unanswered.filter((transfer) => !work.patience.isPaused(cancellationOf(transfer)));
  for (const transfer of due) {
    if (signal.aborted) return null;
    if (transfer.state === 'queued')
      await reportTransfer(db, transfer.id, { event: 'withdrawn' }, clock.now());
    else if (transfer.offerId) await cancelOffer(work, account, transfer, transfer.offerId);
  }
  // Repeated soon, because a cancellation may have failed.
  if (unanswered.length > 0) return 0;
  return nextCancelMs(db.read, work, nowMs);
}

const LONGEST_PAUSE_MS = hour;
const cancellationOf = ({ id }: BotTransfer) => `cancellation of ${id}`;

async function cancelOffer(
  work: TransferWork,
  account: SteamAccount,
  transfer: BotTransfer,
  offerId: string,
): Promise<void> {
  const cancellation = cancellationOf(transfer);
  const found = await findOffer(work, account, transfer, offerId);
  if (!found.ok) return;
  if (!isOpen(found.value) || isForeignOffer(transfer, found.value)) {
    await applyOffer(work, account, transfer, found.value);
    return;
  }
  const { partnerSteamId } = transfer;
  const cancelled = await account.cancelOffer({ offerId, partnerSteamId });
  if (!cancelled.ok)
    work.deps.log.info({ transfer: transfer.id, ...cancelled }, 'the offer could not be cancelled');
  const offer = await account.offer(offerId);
  const changed = offer.ok && (await applyOffer(work, account, transfer, offer.value));
  if (changed) work.patience.end(cancellation);
  else if (!cancelled.ok)
    work.patience.pause(cancellation, {
      firstMs: work.pace.cancelRetryMs,
      longestMs: LONGEST_PAUSE_MS,
    });
}
