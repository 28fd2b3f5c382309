import type { TransferKind } from '#db/schema/transfer.ts';
import { day, hour, minute } from '#domain/kernel/time.ts';

/** Maximum number of items in one offer. */
export const MAX_ITEMS_PER_OFFER = 100;

/** How many outstanding offers Steam allows an account at most, and how many of them to one partner. */
export const MAX_OPEN_OFFERS = 30;
export const MAX_OPEN_OFFERS_PER_PARTNER = 5;

/**
 * The places that are kept for each kind, so that none keeps out the others; whoever comes first has the rest. Claims
 * have at least ten, at most 24.
 */
export const ownPlaces: Record<TransferKind, number> = { claim: 10, return: 3, deposit: 3 };

/** How long a claim's or return's unanswered offer keeps its place while others wait for one. */
export const PLACE_HELD_MS = hour;

/** Steam expires an offer after 14 days. */
export const OFFER_LIFETIME_MS = 14 * day;

/** Protection lasts seven days and until midnight at Valve; a trade of which Steam names no time settles after this long. */
export const LONGEST_PROTECTION_MS = 8 * day;

/** How long a deposit may go unanswered: meanwhile it keeps a place from others. */
export const DEPOSIT_ANSWER_MS = 30 * minute;

/** The reason of an offer that was taken back unanswered, because others waited for its place. */
export const PLACE_NEEDED = 'placeNeeded';

export const wasTakenBack = (transfer: { cancelWanted: boolean; lastError: string | null }): boolean =>
  transfer.cancelWanted && transfer.lastError === PLACE_NEEDED;
