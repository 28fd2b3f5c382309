import type { Visitor } from '#bot/steam/limiters.ts';
import type { Asset } from '#db/schema/asset.ts';
import type { MovedAsset } from '#domain/transfer/transfer-effects.ts';
import type { SteamOfferState } from '#domain/transfer/transfer-machine.ts';

/** The reasons why Steam refused or failed; pages and logs have a text for each code. */
export type SteamCode =
  | 'steamTokenInvalid'
  | 'inventoryUnavailable'
  | 'inventoryPrivate'
  | 'itemUnavailable'
  | 'stackThere'
  | 'stackChanged'
  | 'tradeBanned'
  | 'gameBanned'
  | 'partnerCannotTrade'
  | 'botRestricted'
  | 'offerLimit'
  | 'offerUnknown'
  | 'offerClosed'
  | 'steamSessionLost'
  | 'friendsOnly'
  | 'inventoryFull'
  | 'botRenamed'
  | 'sendingLimited'
  | 'steamBusy'
  | 'steamUnavailable'
  | 'answerLost';

/**
 * The prospect of a retry. `never`: none. `later`: it did not happen but may succeed later. `afterHuman`:
 * like `later`, once somebody has fixed the bot's account. `unknown`: it may have happened.
 */
export type Retry = 'never' | 'later' | 'afterHuman' | 'unknown';

export interface SteamFailure {
  ok: false;
  code: SteamCode;
  retry: Retry;
  /** The error text from Steam or the network, for the log and the operator only. */
  detail: string;
  /** Steam named this as the time to wait. */
  waitMs?: number;
  /** Nothing that Steam said came back: no connection, a lost one, a time-out, or a server in trouble. */
  isUnanswered?: true;
  /** Our own lease ended during the call, which says nothing of Steam. */
  isCutOff?: true;
}
export type SteamAnswer<Value> = { ok: true; value: Value } | SteamFailure;

/** A visitor who sees each page as it comes: the items so far, and how many there are if Steam tells. */
export interface InventoryVisitor extends Visitor {
  onPage?(items: readonly InventoryItem[], total: number | null): void;
}

/** An inventory's items. `isShort`: it has more that cannot be read, so it proves nothing absent. */
export type InventoryAnswer = { ok: true; value: readonly InventoryItem[]; isShort?: true } | SteamFailure;

export interface AssetName {
  appId: number;
  contextId: string;
  assetId: string;
}

/** An asset in an offer with the number of its pieces, of which only stacks have several. */
export interface OfferedAsset extends AssetName {
  amount?: number;
}

export interface OfferRequest {
  partnerSteamId: string;
  tradeToken: string;
  give: readonly Required<OfferedAsset>[];
  receive: readonly Required<OfferedAsset>[];
  /** At most 128 characters. The partner reads it, and it identifies a lost offer. */
  message: string;
}

/** One of our sent offers as Steam shows it; null for facts that Steam does not show. */
export interface SentOffer {
  offerId: string;
  partnerSteamId: string | null;
  message: string | null;
  state: SteamOfferState;
  tradeId: string | null;
  /** Time by Steam's clock. */
  createdAtMs: number | null;
  items: { give: readonly OfferedAsset[]; receive: readonly OfferedAsset[] } | null;
}

/** All sent offers that Steam listed. */
export interface SentOfferList {
  offers: readonly SentOffer[];
  /** Number of further offers listed without an id or a state. */
  unreadable: number;
}

/** A trade's status, reduced from Steam's thirteen values. */
export type TradeStanding =
  | 'pending'
  | 'complete'
  | 'escrowed'
  | 'rolledBack'
  | 'reversed'
  | 'reversedInPart';

export interface TradeReport {
  standing: TradeStanding;
  /** Assets of both sides, but only those whose new id Steam reports. */
  moved: readonly MovedAsset[];
  /** When the trade was made, by Steam's clock; absent if Steam does not tell. */
  madeAtMs?: number;
  /** Time by Steam after which the trade cannot be reversed; absent if Steam names none. */
  settlesAtMs?: number;
}

/** The other side of a trade, and the assets of both under their ids before it. */
export interface TradeParties {
  partnerSteamId: string | null;
  assets: readonly { appId: number; assetId: string; amount?: number }[];
}

export interface TradeHistory {
  trades: ReadonlyMap<string, TradeReport>;
  parties: ReadonlyMap<string, TradeParties>;
  pages: number;
}

export interface InventoryItem extends Asset {
  tradable: boolean;
  protectedUntilMs?: number;
  facts: {
    type: { tag: string; name: string } | null;
    rarity: { tag: string; name: string; color: string } | null;
    exterior: { tag: string; name: string } | null;
  };
}

/** The number of days for which Steam would hold a trade, on each side. */
export interface HoldDurations {
  ourDays: number;
  theirDays: number;
}

/** An account as Steam shows it to everyone; null or empty for facts that it does not show. */
export interface SteamProfile {
  name: string;
  pictureUrl: string;
  level: number | null;
  sinceMs: number | null;
}

/** An account's backpack in a game that gives accounts different room. */
export interface Backpack {
  slots: number;
  assetIds: readonly string[];
}

/**
 * A bot's Steam account as the workers see it. Every call has a deadline and returns our own failure codes. There is no
 * way to accept incoming offers, on purpose.
 */
export interface SteamAccount {
  readonly botId: string;
  readonly steamId: string;
  /** Milliseconds by which Steam's clock is ahead of ours, measured at log-on. */
  readonly clockAheadMs: number;
  /**
   * Sends an offer, unless `mayStart` denies it when the account's turn has come: after that wait another process may be
   * sending it.
   */
  sendOffer(
    request: OfferRequest,
    mayStart: () => boolean,
  ): Promise<SteamAnswer<{ offerId: string; needsConfirmation: boolean }>>;
  /**
   * Visits the page of sent offers, because ended offers may count as open until then. Returns the ids of the offers on
   * it, which sometimes the list leaves out.
   */
  visitSentOffers(): Promise<SteamAnswer<readonly string[]>>;
  /**
   * Confirms exactly these offers with the bot's authenticator. Fails if at least one of them was not
   * confirmed.
   */
  confirmOffers(offerIds: readonly string[]): Promise<SteamAnswer<null>>;
  /** Begins another web session; until it is there, calls fail as without one. */
  renewWebSession(): void;
  cancelOffer(offer: { offerId: string; partnerSteamId: string }): Promise<SteamAnswer<null>>;
  /** All sent offers that are open or changed since then, by Steam's clock; complete, or a failure. */
  offersSince(sinceMs: number): Promise<SteamAnswer<SentOfferList>>;
  offer(offerId: string): Promise<SteamAnswer<SentOffer>>;
  /** A trade's status and the new ids of its assets. */
  getTrade(tradeId: string): Promise<SteamAnswer<TradeReport>>;
  /**
   * The trades of the history since then, by Steam's clock, and the number of pages read; odd rows are left
   * out.
   */
  tradesSince(sinceMs: number): Promise<SteamAnswer<TradeHistory>>;
  /** The assets that a reversed trade returned, under the ids that its records name. */
  getReversal(tradeId: string): Promise<SteamAnswer<readonly MovedAsset[]>>;
  /**
   * Reads an inventory, with what came before a page that failed. With `visitor` somebody waits for it, and
   * custody goes first; otherwise it is custody's own reading.
   */
  inventory(
    steamId: string,
    appId: number,
    contextId: string,
    visitor?: InventoryVisitor,
  ): Promise<InventoryAnswer>;
  holdDurations(
    partnerSteamId: string,
    tradeToken: string,
    visitor?: Visitor,
  ): Promise<SteamAnswer<HoldDurations>>;
  /** The account's own public profile. */
  profile(): Promise<SteamAnswer<SteamProfile>>;
  /** The account's own backpack in Team Fortress 2. */
  backpack(): Promise<SteamAnswer<Backpack>>;
}
