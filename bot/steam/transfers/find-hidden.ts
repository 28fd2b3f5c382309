import type { SentOffer, SentOfferList, SteamAccount } from '#bot/steam/steam-account.ts';
import { hour } from '#domain/kernel/time.ts';
import type { BotTransfer } from '#domain/transfer/list-bot-transfers.ts';
import { listKnownOffers } from '#domain/transfer/list-known-offers.ts';
import { isDoubted } from './doubts.ts';
import { couldBeOurs, offersOf } from './own-offers.ts';
import type { TransferWork } from './transfer-work.ts';

export const pageFor = (transferId: string) => `page of sent offers for ${transferId}`;
export const doubtAbout = (transferId: string) => `doubt about ${transferId}`;

/** The list of sent offers, and the time from which it was asked for. */
export type Listed = SentOfferList & { sinceMs: number };

/**
 * Finds a transfer's offers that the list leaves out, on the page of sent offers; the history shows no open ones. Null
 * if that page, or an offer on it, cannot be read, is doubted, was read too lately, or could be the transfer's: it then
 * proves nothing.
 */
export async function findHidden(
  work: TransferWork,
  account: SteamAccount,
  transfer: BotTransfer,
  { list, pauseMs }: { list: Listed; pauseMs: number },
): Promise<SentOffer[] | null> {
  const { deps, patience } = work;
  const visit = pageFor(transfer.id);
  if (patience.isPaused(visit)) return null;
  patience.pause(visit, { firstMs: pauseMs, longestMs: hour });
  const page = await account.visitSentOffers();
  if (!page.ok) {
    deps.log.warn({ transfer: transfer.id, ...page }, 'the page of sent offers cannot be read; waiting');
    return null;
  }
  const known = await listKnownOffers(deps.db.read, page.value);
  for (const { offerId } of list.offers) known.add(offerId);
  const unlisted: SentOffer[] = [];
  for (const offerId of page.value) {
    if (known.has(offerId)) continue;
    const offer = await account.offer(offerId);
    if (!offer.ok) return null;
    unlisted.push(offer.value);
  }
  const found = offersOf(transfer, unlisted);
  if (found.length > 0) {
    patience.end(visit);
    return found;
  }
  if (await isDoubted(work, 'page', transfer)) return null;
  if (unlisted.length > 0 && (await isDoubted(work, 'offer', transfer))) return null;
  const doubtful = unlisted.find((offer) => couldBeOurs(offer, list.sinceMs));
  if (!doubtful) return [];
  const named = { transfer: transfer.id, offer: doubtful.offerId };
  deps.log.warn(named, 'the page of sent offers has one of which Steam does not say whose it is; waiting');
  return null;
}
