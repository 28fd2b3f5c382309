import type { SentOffer, SteamAccount } from '#bot/steam/steam-account.ts';
import type { NextDue } from '#bot/worker.ts';
import { type BotTransfer, listBotTransfers } from '#domain/transfer/list-bot-transfers.ts';
import { steadyMs } from '#platform/steady-time.ts';
import { applyOffer } from './apply-offer.ts';
import { isArrivalPaused } from './arrivals.ts';
import { findOffer, readListAgain } from './find-offer.ts';
import { isTradePaused } from './find-trade.ts';
import type { TransferWork } from './transfer-work.ts';

export interface OfferFollower {
  /** Called when Steam reports that this offer changed; it is read in the next round. */
  markChanged(offerId: string): void;
  /** Reads all open offers in the next round: changes before a new log-on may have been missed. */
  markAllChanged(): void;
  round(signal: AbortSignal): Promise<NextDue>;
}

/**
 * Follows the offers that wait for the partner. Pushes and polls only show which ones to read; every open
 * offer is also read by id at intervals, because only the database knows them all.
 */
export function followOffers(work: TransferWork): OfferFollower {
  let pushed = new Set<string>();
  /** Offers that could not be read completely. */
  let unread = new Set<string>();
  let readAllAtMs = Number.NEGATIVE_INFINITY;
  return {
    markChanged: (offerId) => void pushed.add(offerId),
    markAllChanged: () => {
      readAllAtMs = Number.NEGATIVE_INFINITY;
    },
    async round(signal) {
      const account = work.account();
      if (!account) return null;
      const states = ['unconfirmed', 'sent', 'escrowed'] as const;
      const open = await listBotTransfers(work.deps.db.read, { botId: work.botId, states });
      work.pollEvery(open.length > 0 ? work.pace.pollMs : work.pace.restingPollMs);
      const shouldReadAll = steadyMs() - readAllAtMs >= work.pace.followMs;
      const [changed, again] = [pushed, unread];
      pushed = new Set();
      unread = new Set();
      if (shouldReadAll) readAllAtMs = steadyMs();
      for (const transfer of open) {
        if (signal.aborted) return null;
        const { offerId } = transfer;
        if (!offerId || !(shouldReadAll || changed.has(offerId) || again.has(offerId))) continue;
        if (changed.has(offerId)) readListAgain(work, transfer);
        const offer = await findOffer(work, account, transfer, offerId);
        if (offer.ok && (await apply(work, account, transfer, offer.value))) work.nudge();
        // An accepted offer that could not be read completely is read again in the next round.
        else if (!offer.ok ? offer.code !== 'offerUnknown' : isUnread(work, transfer, offer.value))
          unread.add(offerId);
      }
      if (open.length === 0) return null;
      return pushed.size + unread.size > 0 ? 0 : readAllAtMs + work.pace.followMs - steadyMs();
    },
  };
}

/** Returns whether an accepted offer was not read completely, and no search for the rest is being put off. */
const isUnread = (work: TransferWork, transfer: BotTransfer, { state }: SentOffer): boolean =>
  state === 'Accepted' && !isArrivalPaused(work, transfer) && !isTradePaused(work, transfer);

/**
 * Applies the state of one offer on Steam. A transfer that cannot be recorded does not keep those after it
 * waiting.
 */
async function apply(
  work: TransferWork,
  account: SteamAccount,
  transfer: BotTransfer,
  offer: SentOffer,
): Promise<boolean> {
  try {
    return await applyOffer(work, account, transfer, offer);
  } catch (error) {
    work.deps.log.error({ err: error, transfer: transfer.id }, 'what Steam says of an offer was not booked');
    return false;
  }
}
