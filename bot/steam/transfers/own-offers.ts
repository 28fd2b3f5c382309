import type { SentOffer } from '#bot/steam/steam-account.ts';
import { amountOf } from '#domain/item/stackable.ts';
import type { BotTransfer } from '#domain/transfer/list-bot-transfers.ts';
import type { SteamOfferState } from '#domain/transfer/transfer-machine.ts';

/** The precedence among several offers of one transfer: the one that went furthest is the transfer's. */
const precedence: Partial<Record<SteamOfferState, number>> = {
  Accepted: 4,
  InEscrow: 3,
  Active: 2,
  CreatedNeedsConfirmation: 1,
};

/**
 * Finds the sent offers that carry the transfer's code and go to its partner, the one that went furthest
 * first. Ended offers with other contents are left out, and so are cancelled ones, because we cancel those of
 * earlier attempts ourselves.
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

/**
 * Returns whether Steam shows that an offer is not the transfer's. A missing message or partner shows
 * nothing.
 */
export const isForeignOffer = (transfer: BotTransfer, { message, partnerSteamId }: SentOffer): boolean =>
  Boolean(message && !message.includes(transfer.securityCode)) ||
  Boolean(partnerSteamId && partnerSteamId !== transfer.partnerSteamId);

const isCancelled = ({ state }: SentOffer) => state === 'Canceled' || state === 'CanceledBySecondFactor';

export const isOpen = ({ state }: SentOffer) => state === 'Active' || state === 'CreatedNeedsConfirmation';

/**
 * Returns whether an offer contains the transfer's assets, with all of their pieces. Items and amounts that Steam does
 * not list contradict nothing.
 */
export function holds({ items }: SentOffer, transfer: BotTransfer): boolean {
  if (items === null) return true;
  const [ours, theirs] = transfer.kind === 'deposit' ? [[], transfer.assets] : [transfer.assets, []];
  return isSame(items.give, ours) && isSame(items.receive, theirs);
}

/**
 * Returns whether an offer could belong to a transfer requested since this time, because Steam shows it without its
 * message or its partner.
 */
export const couldBeOurs = (
  { message, partnerSteamId, state, createdAtMs }: SentOffer,
  sinceMs: number,
): boolean =>
  (message === null || partnerSteamId === null) &&
  precedence[state] !== undefined &&
  (createdAtMs === null || createdAtMs >= sinceMs);

type Named = { appId: number; assetId: string; amount?: number };
const isSame = (a: readonly Named[], b: readonly Named[]) =>
  a.length === b.length &&
  a.every(({ appId, assetId, amount }) =>
    b.some(
      (other) =>
        other.appId === appId &&
        other.assetId === assetId &&
        (amount === undefined || amount === amountOf(other)),
    ),
  );
