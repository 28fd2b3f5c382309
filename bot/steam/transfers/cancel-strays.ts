import { listBotTransfers } from '#domain/transfer/list-bot-transfers.ts';
import { listKnownOffers } from '#domain/transfer/list-known-offers.ts';
import { isOurMessage } from './offer-message.ts';
import { isOpen } from './own-offers.ts';
import { surelyAheadMs, type TransferWork } from './transfer-work.ts';

/**
 * Cancels open offers that this instance made but that belong to no transfer. Steam may create an offer
 * although it answered otherwise, and a database restored from a backup does not know the last ones. Offers
 * of another instance on the same account stay.
 */
export async function cancelStrays(work: TransferWork, signal: AbortSignal): Promise<void> {
  const account = work.account();
  if (!account) return;
  const { db, clock, log } = work.deps;
  const listed = await account.offersSince(clock.now() + surelyAheadMs(account));
  if (!listed.ok) return;
  const ours = listed.value.offers.filter(
    (offer) => isOpen(offer) && isOurMessage(offer.message, work.instanceTag),
  );
  // The order matters: an offer whose answer arrives in between is either still being sent, or known.
  const sending = await listBotTransfers(db.read, {
    botId: work.botId,
    states: ['sending', 'uncertain'],
  });
  const known = await listKnownOffers(
    db.read,
    ours.map(({ offerId }) => offerId),
  );
  for (const { offerId, partnerSteamId, message } of ours) {
    if (signal.aborted) return;
    if (known.has(offerId) || !partnerSteamId) continue;
    if (sending.some(({ securityCode }) => message?.includes(securityCode))) continue;
    const cancelled = await account.cancelOffer({ offerId, partnerSteamId });
    log.warn(
      { bot: work.botId, offer: offerId, cancelled: cancelled.ok },
      'an offer of no transfer was open',
    );
  }
}
