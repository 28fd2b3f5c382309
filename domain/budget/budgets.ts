import { second } from '#domain/kernel/time.ts';

// The part that one account may use of what all accounts share. Whoever asks for more waits or is told why not; meanwhile the
// others go on. docs/architecture.md lists these limits together with those that are kept elsewhere.

/**
 * How many deposits an account may have under way, how many of their offers on Steam, how many items may be asked for in
 * those offers, over all bots, and how many deposits it may ask for in an hour: whoever cancels one to ask for the next
 * costs an offer each time. It may have more once one of its deposits was accepted.
 */
export const depositBudget = (
  hasDeposited: boolean,
): { atOnce: number; unansweredItems: number; anHour: number } =>
  hasDeposited
    ? { atOnce: 4, unansweredItems: 400, anHour: 60 }
    : { atOnce: 2, unansweredItems: 100, anHour: 20 };

/** How much of a bot's room one account's unanswered deposits may take, of what others leave free. */
const SHARE_OF_ROOM = 1 / 4;
/** As long as there is room, a share is never smaller: a deposit would be cut into too many offers. */
const SMALLEST_SHARE = 10;

export const shareOfRoom = (free: number): number =>
  Math.min(free, Math.max(SMALLEST_SHARE, Math.floor(free * SHARE_OF_ROOM)));

/**
 * How many event streams one account, and one network address, may have open at a process of the web: each costs a
 * connection. Behind one address there may be many households, so it has room for many accounts.
 */
export const eventStreams = { ofAccount: 10, ofAddress: 200 };

/** A number of turns that may be taken at once, and how long it takes until there is one more. */
export interface Turns {
  burst: number;
  gapMs: number;
}

/** How often one user, and one Steam account, may make the bots read inventories on Steam; each is of one game. */
export const inventoryReads: Turns = { burst: 6, gapMs: 15 * second };

/** How often one user, and one Steam account, may make the bots ask Steam about a trade link. */
export const tradeLinkChecks: Turns = { burst: 20, gapMs: 3 * second };

/** How often one account may make a process of the web read a page of its charges from Stripe. */
export const chargeReads = { points: 20, windowMs: 60 * second };
