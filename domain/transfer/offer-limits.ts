import type { TransferKind } from '#db/schema/transfer.ts';
import { day, minute } from '#domain/time.ts';

/** Steam allows an account so many outstanding offers, and so many of them to one partner. */
export const MAX_OPEN_OFFERS = 30;
export const MAX_OPEN_OFFERS_PER_PARTNER = 5;

/** What a bot may have open when it sends one more of a kind: the last places are reserved for what cannot wait. */
export const maxOpenBefore: Record<TransferKind, number> = {
  claim: MAX_OPEN_OFFERS,
  return: MAX_OPEN_OFFERS - 5,
  deposit: MAX_OPEN_OFFERS - 10,
};

/** Steam expires an offer after 14 days. */
export const OFFER_LIFETIME_MS = 14 * day;

/** Protection lasts seven days and until midnight at Valve; a trade of which Steam names no time settles after this long. */
export const LONGEST_PROTECTION_MS = 8 * day;

/** How long a deposit may go unanswered: meanwhile it keeps a place from others. */
export const DEPOSIT_ANSWER_MS = 30 * minute;

/** How many deposits an account may have under way, and how many of their offers on Steam. */
export const depositsAtOnce = (hasDeposited: boolean): number => (hasDeposited ? 4 : 2);
