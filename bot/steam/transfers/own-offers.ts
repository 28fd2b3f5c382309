import type { SentOffer } from '#bot/steam/steam-account.ts';
import type { BotTransfer } from '#domain/transfer/list-bot-transfers.ts';
import type { SteamOfferState } from '#domain/transfer/transfer-machine.ts';

/** If there are several offers of one transfer, the one that went furthest is the transfer's. */
const precedence: Partial<Record<SteamOfferState, number>> = {
  Accepted: 4,
  InEscrow: 3,
  Active: 2,
  CreatedNeedsConfirmation: 1,
};

/**
 * The sent offers that carry the transfer's code and go to its partner, the one that went furthest first; without those
 * that hold something else and are over, and without cancelled ones: we cancel those of earlier attempts ourselves.
 */
export function offersOf(transfer: BotTransfer, offers: readonly SentOffer[]): SentOffer[] {
  return offers
    .filter(
      ({ message, partnerSteamId }) =>
        message?.includes(transfer.securityCode) && partnerSteamId === transfer.partnerSteamId,
    )
    .filter((offer) => isOpen(offer) || (holds(offer, transfer) && !isCancelled(offer)))
    .sort((a, b) => (precedence[b.state] ?? 0) - (precedence[a.state] ?? 0));
}

/** Whether Steam says that an offer is not the transfer's. A message or partner that it does not show says nothing. */
export const isForeignOffer = (transfer: BotTransfer, { message, partnerSteamId }: SentOffer): boolean =>
  Boolean(message && !message.includes(transfer.securityCode)) ||
  Boolean(partnerSteamId && partnerSteamId !== transfer.partnerSteamId);

const isCancelled = ({ state }: SentOffer) => state === 'Canceled' || state === 'CanceledBySecondFactor';

export const isOpen = ({ state }: SentOffer) => state === 'Active' || state === 'CreatedNeedsConfirmation';

/** Whether an offer holds what the transfer moves. Items that Steam does not list contradict nothing. */
export function holds({ items }: SentOffer, transfer: BotTransfer): boolean {
  if (items === null) return true;
  const [ours, theirs] = transfer.kind === 'deposit' ? [[], transfer.assets] : [transfer.assets, []];
  return isSame(items.give, ours) && isSame(items.receive, theirs);
}

/** Whether an offer could belong to the transfer: Steam lists it without its message or its partner. */
export const couldBeOurs = ({ message, partnerSteamId, state }: SentOffer) =>
  (message === null || partnerSteamId === null) && precedence[state] !== undefined;

type Named = { appId: number; assetId: string };
const isSame = (a: readonly Named[], b: readonly Named[]) =>
  a.length === b.length &&
  a.every(({ appId, assetId }) => b.some((other) => other.appId === appId && other.assetId === assetId));
