import TradeOfferManager from 'steam-tradeoffer-manager';
import { z } from 'zod';
import type { SentOffer, SentOfferList } from '#bot/steam/steam-account.ts';
import type { SteamClients } from '#bot/steam/steam-clients.ts';
import { getPage } from '#bot/steam/web-get.ts';
import { amount, id, readableRows } from '#bot/steam/web-rows.ts';
import type { SteamOfferState } from '#domain/transfer/transfer-machine.ts';

// Offers are read from Steam's Web API directly: steam-tradeoffer-manager refuses an offer whose items Steam does not
// list, and a whole list with one offer whose partner it does not list.

const item = z.object({ appid: amount, contextid: id, assetid: id, amount: amount.nullish() });
const offer = z.object({
  tradeofferid: id,
  trade_offer_state: z.number(),
  accountid_other: z.number().nullish(),
  message: z.string().nullish(),
  tradeid: id.nullish(),
  time_created: amount.nullish(),
  items_to_give: z.array(z.unknown()).nullish(),
  items_to_receive: z.array(z.unknown()).nullish(),
});
const items = readableRows(item);

export const offerAnswer = z.object({ response: z.object({ offer: offer.optional() }) });
export const offersAnswer = z.object({
  response: z.object({
    trade_offers_sent: z.array(z.unknown()).default([]),
    next_cursor: amount.optional(),
  }),
});

export function sentOffersOf(rows: readonly unknown[]): SentOfferList {
  const offers = readableRows(offer).parse(rows).map(sentOfferOf);
  return { offers, unreadable: rows.length - offers.length };
}

const INDIVIDUAL_ACCOUNTS = 76561197960265728n;
const states = TradeOfferManager.ETradeOfferState as unknown as Record<number, SteamOfferState>;

export function sentOfferOf(row: z.output<typeof offer>): SentOffer {
  const [give, receive] = [row.items_to_give ?? [], row.items_to_receive ?? []];
  const named = { give: items.parse(give).map(nameOf), receive: items.parse(receive).map(nameOf) };
  // There are no empty offers, so an offer listed without items, or with nameless ones, is incomplete.
  const isWhole =
    give.length + receive.length > 0 &&
    named.give.length === give.length &&
    named.receive.length === receive.length;
  return {
    offerId: row.tradeofferid,
    partnerSteamId: row.accountid_other ? String(INDIVIDUAL_ACCOUNTS + BigInt(row.accountid_other)) : null,
    message: row.message ?? null,
    // An unknown state allows no conclusion, so it is read as Active: nothing has happened yet.
    state: states[row.trade_offer_state] ?? 'Active',
    tradeId: row.tradeid ?? null,
    createdAtMs: row.time_created ? row.time_created * 1000 : null,
    items: isWhole ? named : null,
  };
}

const nameOf = ({ appid, contextid, assetid, amount: pieces }: z.output<typeof item>) => ({
  appId: appid,
  contextId: contextid,
  assetId: assetid,
  ...(pieces && { amount: pieces }),
});

const SENT_OFFERS = 'https://steamcommunity.com/my/tradeoffers/sent/';

/**
 * Tabs of the pages of trade offers lead to the sent ones, and the tab of the page that is shown has a background of
 * its own (cantryDev/FixTradeoffers, TradeOffersInjector.js). Ordinary pages link to trade offers as well.
 */
const LINK_TO_SENT = /<a\s[^>]*href=["'][^"']*\/tradeoffers\/sent\/?["'][^>]*>(.*?)<\/a>/gs;
const SHOWN_TAB = /class=["']right_controls_large_block_active_bg\b/;
/** The row of an offer, as csfloat/extension, trade_offer.ts, reads this page. */
const ROW = /<div\s[^>]*class=["'](?:[^"']*\s)?tradeoffer(?:\s[^"']*)?["']/g;
const ROW_ID = /<div\s[^>]*id=["']tradeofferid_(\d+)["']/g;

/** Reads the ids of the offers on the page of sent offers. A page of another form, which proves nothing, throws. */
export async function readSentPage(community: SteamClients['community']): Promise<readonly string[]> {
  const page = await getPage(community, SENT_OFFERS);
  const isShown = [...page.matchAll(LINK_TO_SENT)].some(([, tab]) => SHOWN_TAB.test(tab ?? ''));
  const ids = [...page.matchAll(ROW_ID)].flatMap(([, offerId]) => offerId ?? []);
  const rows = [...page.matchAll(ROW)].length;
  if (!isShown || rows !== ids.length) throw new Error('the page of sent offers has another form');
  return ids;
}
