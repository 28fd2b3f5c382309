import { hour, second } from '#domain/kernel/time.ts';

// The part of a shared resource that one account may use. An account that asks for more waits or is refused
// with a reason, while the others go on. docs/architecture.md lists these limits together with those defined
// elsewhere.

/**
 * The number of deposits that an account may have under way, of their offers on Steam, and of items asked for
 * in those offers, over all bots. Also the number of deposits that it may request in an hour, because
 * cancelling one to request the next costs an offer each time. All are higher once one of the account's
 * deposits was accepted.
 */
export const depositBudget = (
  hasDeposited: boolean,
): { atOnce: number; unansweredItems: number; anHour: number } =>
  hasDeposited
    ? { atOnce: 4, unansweredItems: 400, anHour: 60 }
    : { atOnce: 2, unansweredItems: 100, anHour: 20 };

/** One account's unanswered deposits may take this part of a bot's free room. */
const SHARE_OF_ROOM = 1 / 4;
/**
 * While there is room, a share is at least this large; a smaller one would cut a deposit into too many
 * offers.
 */
const SMALLEST_SHARE = 10;

export const shareOfRoom = (free: number): number =>
  Math.min(free, Math.max(SMALLEST_SHARE, Math.floor(free * SHARE_OF_ROOM)));

/**
 * The number of times that an account may take the place of one class of stacks, for each bot that takes deposits: once
 * more than it needs. A place is held for as long as an offer waits to be accepted, and there is but one at each bot.
 */
export const stackPlaces = { ofEachBot: 2, windowMs: 4 * hour };

/**
 * The number of event streams that one account, and one network address, may have open at all web processes together,
 * because each costs a connection. Many households may share one address, so it has room for many accounts.
 */
export const eventStreams = { ofAccount: 10, ofAddress: 200 };

/** A number of turns that may be taken at once, and the time until there is another one. */
export interface Turns {
  burst: number;
  gapMs: number;
}

/**
 * The rate at which one user, and one Steam account, may make the bots read inventories on Steam; each read
 * is of one game.
 */
export const inventoryReads: Turns = { burst: 6, gapMs: 15 * second };

/** The rate at which one user, and one Steam account, may make the bots check a trade link with Steam. */
export const tradeLinkChecks: Turns = { burst: 20, gapMs: 3 * second };

/** The rate at which one account may make a web process read a page of its charges from Stripe. */
export const chargeReads = { points: 20, windowMs: 60 * second };

/**
 * The rate at which all chats together may make a bot process ask Twitch whether they are shared, and the rate
 * of asking again. Both take the points of the application, 800 a minute, which everything else needs too.
 */
export const sharedChatLooks = {
  all: { burst: 100, gapMs: 300 },
  again: { burst: 30, gapMs: 400 },
} as const satisfies Record<string, Turns>;

/**
 * The part of its time in which a web process reads who comes closest to the rules of all open overlays. Such a reading
 * may look at all viewers of a channel, so they take turns, one at a time.
 */
export const overlayViewers = { shareOfTime: 0.02 } as const;
