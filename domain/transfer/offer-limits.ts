import type { TransferKind } from '#db/schema/transfer.ts';
import { day, hour, minute } from '#domain/kernel/time.ts';

/** Steam's maximum of outstanding offers for an account, and of those to one partner. */
export const MAX_OPEN_OFFERS = 30;
export const MAX_OPEN_OFFERS_PER_PARTNER = 5;

/**
 * The places reserved for each kind, so that no kind keeps out the others; the rest go to whatever comes
 * first. Claims have at least ten, at most 24.
 */
export const ownPlaces: Record<TransferKind, number> = { claim: 10, return: 3, deposit: 3 };

/** An unanswered offer of a claim or return keeps its place for this long while others wait for one. */
export const PLACE_HELD_MS = hour;

/** Steam expires an offer after 14 days. */
export const OFFER_LIFETIME_MS = 14 * day;

/**
 * Protection lasts seven days and until midnight at Valve. A trade for which Steam reports no time settles
 * after this long.
 */
export const LONGEST_PROTECTION_MS = 8 * day;

/** A deposit may go unanswered for this long, because it keeps a place from others. */
export const DEPOSIT_ANSWER_MS = 30 * minute;

/** The reason of an offer that was cancelled unanswered, because others waited for its place. */
export const PLACE_NEEDED = 'placeNeeded';

export const wasTakenBack = (transfer: { cancelWanted: boolean; lastError: string | null }): boolean =>
  transfer.cancelWanted && transfer.lastError === PLACE_NEEDED;
