import type { SteamWorld } from './world.ts';

/**
 * The shapes in which public parsers meet Steam's pages of trade offers. Steam changed these pages several times
 * (gergelyszabo94/csgo-trader-extension#548, #570; juliarose/steam-trade-offer-enhancer, pull request 21), and a
 * reader has to be right in each. The first shape of every list is the sandbox's default.
 */
export const tradeShapes = {
  /** The script that tells the page what the offer contains. */
  status: {
    /** csfloat/extension, trade_offer.ts; SteamDatabase/SteamTracking, economy_tradeoffer.js (`BeginTradeOffer`). */
    assigned: 'an object, with both accounts in variables',
    /** The tests of SIH Lite's trade-offers.js: a text that is parsed, and the offer's number in a variable. */
    quoted: 'a text that the page parses',
    /** Without a number, and with the accounts in calls: those tests, and csfloat/extension on pages of new offers. */
    calls: 'an object, with both accounts in calls and the number in the address alone',
  },
  /** The numbers of an asset's game, context and amount in that script. */
  numbers: {
    /** csfloat/extension, types/steam.d.ts. */
    quoted: 'in quotes',
    /** The tests of SIH Lite's trade-offers.js. */
    bare: 'bare',
  },
  /** The slots of each side. */
  slots: {
    /** csfloat/extension, trade_offer.ts. */
    alone: 'alone',
    /**
     * SteamDatabase/SteamTracking, economy_trade.js (`CreateCurrencyTradeSlot`); the pages of SIH Lite's tests. Readers of a
     * saved page found both kinds in one box.
     */
    boxed: 'in a box, beside those for money',
  },
  /** The items of a row in the list of offers. */
  rows: {
    /** waylaidwanderer/PHP-SteamCommunity, TradeOffers.php; gergelyszabo94/csgo-trader-extension, tradeOffers.js. */
    assets: 'named by their ids',
    /** Gobot1234/steam.py, http.py: a captured row. */
    classes: 'named by their classes',
  },
} as const;

type Shapes = typeof tradeShapes;
/** One shape of every part of the pages. */
export type TradeShape = { [Part in keyof Shapes]: keyof Shapes[Part] };

export const plainTradeShape: TradeShape = {
  status: 'assigned',
  numbers: 'quoted',
  slots: 'alone',
  rows: 'assets',
};

export const tradeShapeOf = ({ state }: SteamWorld): TradeShape => ({
  ...plainTradeShape,
  ...state.tradeShape,
});

/** Makes Steam show its pages of trade offers in another recorded shape from now on. */
export function showTradesAs({ state }: SteamWorld, shape: Partial<TradeShape>): void {
  state.tradeShape = shape;
}
