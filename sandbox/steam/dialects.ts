/**
 * The shapes in which public records show Steam answering. Nobody outside Valve knows which one an account
 * meets, and records contradict each other, so the product has to be right in each. The first shape of every
 * list is the sandbox's default.
 */
export const dialects = {
  /**
   * The record of a trade that was reversed under Trade Protection, and the ids under which its items are
   * back.
   */
  reversal: {
    /** The reversal is a trade in the opposite direction, and the items get new ids (csfloat/extension, rollback.ts). */
    oppositeNewIds: 'a trade in the opposite direction, new ids',
    /**
     * The reversal repeats the trade in the same direction; the items are back under their first ids, in context 2, and
     * no row has new ids (dmarket/p2p-tracker-core, steam_trade_history.json: a captured answer of August 2026).
     */
    mirroredOldIds: 'the trade repeated, old ids',
    /** The same direction, but from context 16 to context 2 under a new id (juliarose/steam-tradeoffer-manager#8). */
    protectedToOpen: 'the trade repeated, new ids',
  },
  /** True if the rows of an exchange have the ids that the items got with it. */
  newIds: {
    named: 'named',
    /** The rows of CS2 items have none (dmarket/p2p-tracker-core, steam_trade_history.json). */
    omitted: 'left out',
  },
  /** The time after which a trade cannot be reversed any more. */
  settlement: {
    named: 'named as a number',
    /** Recorded for GetTradeHistory only (dmarket/p2p-tracker-core); older rows of both methods have none. */
    absent: 'left out',
    /** Steam's services quote 64-bit numbers in JSON (partner.steamgames.com/doc/webapi_overview/responses). */
    quoted: 'named in quotes',
  },
  /** The length of Trade Protection. */
  protection: {
    sevenDays: 'seven days',
    /** Rounded up to midnight in Seattle: published rows show 7.04 and 7.91 days (dmarket/p2p-tracker-core). */
    untilMidnight: 'seven days and until midnight',
  },
  /** The items of an offer, where the Web API lists it. */
  offerItems: {
    listed: 'listed',
    /** Items of accepted offers are flagged as missing, or have no id any more (bukson/steampy#309). */
    missingOnceAccepted: 'missing once accepted',
    /** "Some offers can be empty just forever" (steam-tradeoffer-manager, lib/index.js; Jessecar96/SteamBot#1014). */
    blank: 'never listed',
  },
  /** The number of sent and received offers in one answer; the cursor leads to the next. */
  offerPages: {
    one: 'all in one answer',
    /** steam-tradeoffer-manager, lib/index.js, follows `next_cursor`; so does ArchiSteamFarm. */
    short: 'two to an answer',
  },
  /** Open offers in the list. Each is still shown by its id, and on the page of sent offers. */
  openOffers: {
    listed: 'listed',
    /** All offers (bukson/steampy#382; DoctorMcKay/node-steam-tradeoffer-manager#348). */
    leftOut: 'left out of the list',
    /** Those of one game only (soyware/OpenMarketClient#19 tells of Counter-Strike 2). */
    counterStrikeLeftOut: 'left out of the list if they contain items of Counter-Strike 2',
  },
  /** The first sending of each offer. */
  firstSendings: {
    taken: 'taken',
    /** Steam words refusals that no table has (TF2Autobot, Trades.ts, knows some of them by their words alone). */
    unknownWords: 'refused in unknown words',
    /**
     * Numbers that no table has leave open whether the offer exists, as 16 does (steam-tradeoffer-manager's wiki,
     * TradeOffer#send; TF2Autobot, Trades.ts, looks for the offer after it).
     */
    unknownNumber: 'refused with an unknown number, though the offer exists',
  },
  /** The tokens that a bot asks for when it is logged on. */
  renewals: {
    granted: 'granted',
    /** Result 15, for single accounts (DoctorMcKay/node-steam-session#22, node-steam-user#541). */
    refused: 'refused to every bot but the first',
  },
  /** Several confirmations in one request. */
  confirmations: {
    together: 'accepted',
    /** DoctorMcKay/steam-twofactor-server#5, node-steamcommunity#351. */
    single: 'refused, while single ones are accepted',
  },
  /** The trade of an accepted offer, where an offer is shown. */
  acceptedTrades: {
    named: 'named',
    /** DoctorMcKay/node-steam-tradeoffer-manager#14. */
    unnamed: 'never named',
  },
  /** The games whose exchanged items are under Trade Protection. */
  protectedGames: {
    counterStrike: 'Counter-Strike 2',
    /** Valve will extend it to other games (howtageek.com, xrep.co.uk, 2025). */
    all: 'every game',
  },
  /** Sent offers that ended without a trade, such as one whose items are no longer available. */
  endedOffers: {
    forgotten: 'no longer count',
    /**
     * They count against the limits until the sender visits the page of sent offers: ArchiSteamFarm visits it before
     * each offer and sends none if it cannot (ArchiWebHandler.cs, `MarkSentTrades`; Actions.cs). Offers of unavailable
     * items met result 50 (JustArchiNET/ArchiSteamFarm#333). Which ended ones count is not recorded, so here all do.
     */
    countUntilSeen: 'count until the page of sent offers is visited',
  },
  /** The rows of the trade history. */
  history: {
    whole: 'as asked',
    /** Fewer rows than asked with `more`, and rows without assets or of an unknown status among them (csfloat/extension). */
    oddPages: 'short pages with odd rows',
  },
  /** The ids of items that a failed or undone trade gives back. */
  failedTrades: {
    oldIds: 'old ids',
    /** DoctorMcKay/node-steam-tradeoffers#304. */
    newIds: 'new ids',
  },
  /** Stacks of one class that meet in an inventory, such as gems. */
  stacks: {
    apart: 'stay assets of their own',
    /**
     * Ids that a trade reports for gems do not exist afterwards (DoctorMcKay/node-steam-tradeoffer-manager#316). Which
     * types merge, and when, is not recorded.
     */
    merged: 'merge into the stack that is there',
  },
  /** The descriptions of an inventory. */
  descriptions: {
    whole: 'whole',
    /**
     * An empty list is an empty string (steamcommunity, CEconItem.js: `actions === ""`), values may be null, and single
     * descriptions may lack.
     */
    odd: 'odd lists, nulls and gaps',
  },
  /**
   * The gap of one endpoint that all others do not have. Records tell of single offers and of whole games (`openOffers`,
   * `acceptedTrades`); that the same may happen at each of these places is made up.
   */
  silence: {
    none: 'nothing',
    list: 'accepted offers in the list',
    offer: 'any offer by its id',
    page: 'any offer on the page of sent offers',
    history: 'any trade in the history',
    inventory: 'the newest item of an inventory',
  },
  /** An inventory's facts about single assets, such as their wear. */
  properties: {
    /** Since September 2025 (juliarose/steam-tradeoffer-manager#7). */
    reported: 'reported',
    absent: 'left out',
  },
  /** The view of an inventory for others than its owner. */
  youngItems: {
    shown: 'shown to others',
    /** Items received within the last ten days are not listed for others (DoctorMcKay/node-steamcommunity#348). */
    hidden: 'hidden from others for ten days',
  },
  /** The inventory of an account whose assets Steam cannot read for the moment. */
  inventory: {
    listed: 'listed',
    /** `success: 1` and a total, but no assets (steamcommunity, components/users.js). */
    emptyWithTotal: 'a total, but no assets',
    /** Null in place of an asset (steamcommunity, components/users.js, reads every row as an object). */
    oddRow: 'an unreadable row in place of the oldest asset',
  },
} as const;

type Dialects = typeof dialects;
export type DialectPart = keyof Dialects;
/** One shape of every kind of answer. */
export type Dialect = { [Part in DialectPart]: keyof Dialects[Part] };

export const dialectParts = Object.keys(dialects) as DialectPart[];

export const shapesOf = <Part extends DialectPart>(part: Part) =>
  Object.keys(dialects[part]) as Dialect[Part][];

/** The sandbox's default dialect. */
export const plainDialect = Object.fromEntries(
  dialectParts.map((part) => [part, shapesOf(part)[0]]),
) as Dialect;
