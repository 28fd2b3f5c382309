import type { SteamAccount } from '#bot/steam/steam-account.ts';
import { minute } from '#domain/kernel/time.ts';
import type { BotTransfer } from '#domain/transfer/list-bot-transfers.ts';
import { reportTransfer } from '#domain/transfer/report-transfer.ts';
import { applyOffer } from './apply-offer.ts';
import type { TransferWork } from './transfer-work.ts';

/** Later attempts wait for a person or for the end of the claim. */
const MAX_ATTEMPTS = 5;
/** From this attempt on the web session is renewed first, which helps sometimes (Jessecar96/SteamBot#894). */
const ATTEMPT_WITH_NEW_SESSION = 2;

/**
 * Cancels an offer whose confirmation Steam never listed, and sends it again: its receiver cannot have seen it.
 * Only an offer that Steam shows as cancelled is sent again. Returns whether it will be.
 */
export async function resendUnseen(
  work: TransferWork,
  account: SteamAccount,
  transfer: BotTransfer & { offerId: string },
): Promise<boolean> {
  const { id, offerId, partnerSteamId, attempts, cancelWanted } = transfer;
  const waited = `confirmation of ${offerId}`;
  if (!work.patience.isOver(waited, work.pace.unseenMs) || cancelWanted || attempts > MAX_ATTEMPTS)
    return false;
  if (work.patience.isPaused(waited)) return false;
  work.patience.pause(waited, { firstMs: work.pace.unseenMs, longestMs: 30 * minute });
  work.resending.add(id);
  try {
    const cancelled = await account.cancelOffer({ offerId, partnerSteamId });
    const offer = await account.offer(offerId);
    const isCanceled = offer.ok && offer.value.state === 'Canceled';
    work.deps.log.warn(
      { transfer: id, offer: offerId, cancelled: cancelled.ok },
      'a confirmation never appeared',
    );
    if (isCanceled) return await sendAgain(work, account, id, attempts);
    if (offer.ok) await applyOffer(work, account, transfer, offer.value);
    return false;
  } finally {
    work.resending.delete(id);
  }
}

async function sendAgain(
  { deps, nudge }: TransferWork,
  account: SteamAccount,
  transferId: string,
  attempts: number,
): Promise<boolean> {
  const nowMs = deps.clock.now();
  const change = { event: 'unseen', error: 'notConfirmed', runAtMs: nowMs } as const;
  const isQueued = await reportTransfer(deps.db, transferId, change, nowMs);
  if (attempts >= ATTEMPT_WITH_NEW_SESSION) account.renewWebSession();
  nudge();
  return isQueued;
}
