import type { Asset } from '#db/schema/asset.ts';
import type { MovedAsset } from '#domain/transfer/transfer-effects.ts';
import type { SteamOfferState } from '#domain/transfer/transfer-machine.ts';

/** Why Steam would not; the pages and the log word them. */
export type SteamCode =
  | 'steamTokenInvalid'
  | 'inventoryUnavailable'
  | 'inventoryPrivate'
  | 'itemUnavailable'
  | 'tradeBanned'
  | 'partnerCannotTrade'
  | 'botRestricted'
  | 'offerLimit'
  | 'offerUnknown'
  | 'offerClosed'
  | 'steamSessionLost'
  | 'steamBusy'
  | 'steamUnavailable'
  | 'answerLost';

/**
 * What to do about it. never: asking again changes nothing. later: it did not happen, another time it may.
 * afterHuman: the same, once a person has mended the bot's account. unknown: it may have happened.
 */
export type Retry = 'never' | 'later' | 'afterHuman' | 'unknown';

export interface SteamFailure {
  ok: false;
  code: SteamCode;
  retry: Retry;
  /** Steam's or the network's own words, for the log alone. */
  detail: string;
}
export type SteamAnswer<Value> = { ok: true; value: Value } | SteamFailure;

export interface AssetName {
  appId: number;
  contextId: string;
  assetId: string;
}

export interface OfferRequest {
  partnerSteamId: string;
  tradeToken: string;
  give: readonly AssetName[];
  receive: readonly AssetName[];
  /** At most 128 characters; the partner reads it, and we find a lost offer by it. */
  message: string;
}

/** One of our sent offers as Steam shows it. */
export interface SentOffer {
  offerId: string;
  partnerSteamId: string;
  message: string;
  state: SteamOfferState;
  tradeId: string | null;
  give: readonly AssetName[];
  receive: readonly AssetName[];
}

/** How a trade stands, folded from Steam's thirteen numbers. */
export type TradeStanding = 'pending' | 'complete' | 'escrowed' | 'rolledBack' | 'reversed';

export interface TradeReport {
  standing: TradeStanding;
  /** Both directions; only assets whose new id is known. */
  moved: readonly MovedAsset[];
  /** Steam's own time at which a reversal is no longer possible; absent when the trade is not protected. */
  settlesAtMs?: number;
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

/** Days that Steam would hold an exchange, on each side. */
export interface HoldDurations {
  ourDays: number;
  theirDays: number;
}

/**
 * One bot's Steam account, as the workers see it: few verbs, every one with a deadline, no foreign errors. Incoming
 * offers have no verb here: they are never accepted.
 */
export interface SteamAccount {
  readonly botId: string;
  readonly steamId: string;
  sendOffer(request: OfferRequest): Promise<SteamAnswer<{ offerId: string; needsConfirmation: boolean }>>;
  /** Confirms exactly these offers on the bot's own authenticator; answers which it did. */
  confirmOffers(offerIds: readonly string[]): Promise<SteamAnswer<readonly string[]>>;
  cancelOffer(offerId: string): Promise<SteamAnswer<null>>;
  /** All our sent offers that are open or changed since then; a complete answer or none. */
  offersSince(sinceMs: number): Promise<SteamAnswer<readonly SentOffer[]>>;
  offer(offerId: string): Promise<SteamAnswer<SentOffer>>;
  /** How a trade stands and under which new ids its assets arrived. */
  exchangeOf(tradeId: string): Promise<SteamAnswer<TradeReport>>;
  /** The trade that undid a reversed one, with the ids under which the assets came back. */
  reversalOf(tradeId: string): Promise<SteamAnswer<readonly MovedAsset[]>>;
  inventory(
    steamId: string,
    appId: number,
    contextId: string,
  ): Promise<SteamAnswer<readonly InventoryItem[]>>;
  holdDurations(partnerSteamId: string, tradeToken: string): Promise<SteamAnswer<HoldDurations>>;
}
