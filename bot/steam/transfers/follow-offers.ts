import type { NextDue } from '#bot/worker.ts';
import { listBotTransfers } from '#domain/transfer/list-bot-transfers.ts';
import { applyOffer } from './apply-offer.ts';
import type { TransferWork } from './transfer-work.ts';

export interface OfferFollower {
  /** Steam says that this offer changed; it is read at the next round. */
  markChanged(offerId: string): void;
  /** All open offers are read at the next round: after a new log-on nobody knows what was missed. */
  markAllChanged(): void;
  round(signal: AbortSignal): Promise<NextDue>;
}

/**
 * Follows what became of the offers that wait for the other side. What was pushed or polled only says where to look;
 * every open offer is also read by its id at intervals, because the database, not the poll, knows which there are.
 */
export function followOffers(work: TransferWork): OfferFollower {
  let changed = new Set<string>();
  let readAllAtMs = 0;
  return {
    markChanged: (offerId) => void changed.add(offerId),
    markAllChanged: () => {
      readAllAtMs = 0;
    },
    async round(signal) {
      const account = work.account();
      if (!account) return null;
      const states = ['unconfirmed', 'sent', 'escrowed'] as const;
      const open = await listBotTransfers(work.deps.database.read, { botId: work.botId, states });
      const shouldReadAll = Date.now() - readAllAtMs >= work.pace.followMs;
      const pushed = changed;
      changed = new Set();
      if (shouldReadAll) readAllAtMs = Date.now();
      for (const transfer of open) {
        if (signal.aborted) return null;
        const { offerId } = transfer;
        if (!offerId || !(shouldReadAll || pushed.has(offerId))) continue;
        const offer = await account.offer(offerId);
        if (offer.ok && (await applyOffer(work, account, transfer, offer.value))) work.nudge();
        // An end that could not be read whole is looked at again in the next round.
        else if (!offer.ok || offer.value.state === 'Accepted') changed.add(offerId);
      }
      if (open.length === 0) return null;
      return changed.size > 0 ? 0 : readAllAtMs + work.pace.followMs - Date.now();
    },
  };
}
