import { z } from 'zod';
import { answerWatch } from '#platform/answers/answer-watch.ts';
import type { AnswerShape } from '#platform/answers/odd-answer.ts';

// The expected shapes of Steam's answers, as far as custody decides by them. The code reads answers more tolerantly,
// because an odd row must not stop the others; these schemas only say when Steam has become new.

/** Ids and 64-bit numbers come as strings or as numbers (partner.steamgames.com/doc/webapi_overview/responses). */
const id = z.union([z.string().min(1), z.number()]);
const amount = id;
const maybeId = id.nullish();

const offerItem = z.object({
  appid: amount,
  contextid: id,
  assetid: id.optional(),
  missing: z.boolean().optional(),
});
const offer = z.object({
  tradeofferid: id,
  /** ETradeOfferState. */
  trade_offer_state: z.literal([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]),
  accountid_other: z.number().nullish(),
  message: z.string().nullish(),
  tradeid: maybeId,
  time_created: amount.nullish(),
  items_to_give: z.array(offerItem).nullish(),
  items_to_receive: z.array(offerItem).nullish(),
});

const tradeAsset = z.object({
  appid: amount,
  contextid: maybeId,
  assetid: id,
  new_assetid: maybeId,
  new_contextid: maybeId,
  rollback_new_assetid: maybeId,
});
const trade = z.object({
  tradeid: id,
  /** ETradeStatus, and 12, the reversal under Trade Protection. */
  status: z.literal([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]),
  time_init: amount.nullish(),
  time_settlement: amount.nullish(),
  steamid_other: maybeId,
  rollback_trade: maybeId,
  assets_given: z.array(tradeAsset).nullish(),
  assets_received: z.array(tradeAsset).nullish(),
});
const trades = z.object({
  response: z.object({ trades: z.array(trade).optional(), more: z.boolean().optional() }),
});

const escrow = z.object({ escrow_end_duration_seconds: z.number().optional() });
const flag = z.literal([0, 1, true, false]);
const inventory = z.object({
  success: z.literal([1, true]),
  total_inventory_count: amount.nullish(),
  assets: z
    .array(z.object({ assetid: id, classid: id, instanceid: maybeId, amount: amount.nullish() }))
    .nullish(),
  descriptions: z
    .array(
      z.object({
        classid: id,
        instanceid: maybeId,
        name: z.string().nullish(),
        market_hash_name: z.string().nullish(),
        tradable: flag.nullish(),
      }),
    )
    .nullish(),
  more_items: flag.nullish(),
  last_assetid: maybeId,
});

const economy = (method: string, schema: z.ZodType, more: Partial<AnswerShape>): AnswerShape => ({
  platform: 'steam',
  place: `IEconService/${method}/v1`,
  schema,
  reaction: 'rowSkipped',
  source: `https://steamapi.xpaw.me/#IEconService/${method}`,
  ...more,
});
const tradeReactions = {
  newValues: { 'response.trades[].status': 'pending' },
  reactions: { 'response.more': 'noAnswer' },
} as const;
/** An offer with an item that cannot be read counts as one whose items are not known. */
const itemReactions = (offerPath: string) =>
  Object.fromEntries(
    ['items_to_give', 'items_to_receive'].flatMap((side) =>
      Object.keys(offerItem.shape).map((field) => [`${offerPath}${side}[].${field}`, 'unknown' as const]),
    ),
  );

/** The shapes of Steam's answers. */
export const steamShapes: readonly AnswerShape[] = [
  economy(
    'GetTradeOffers',
    z.object({
      response: z.object({ trade_offers_sent: z.array(offer).optional(), next_cursor: amount.optional() }),
    }),
    {
      newValues: { 'response.trade_offers_sent[].trade_offer_state': 'pending' },
      reactions: {
        ...itemReactions('response.trade_offers_sent[].'),
        'response.trade_offers_sent': 'noAnswer',
        'response.next_cursor': 'noAnswer',
      },
    },
  ),
  economy('GetTradeOffer', z.object({ response: z.object({ offer: offer.optional() }) }), {
    reaction: 'noAnswer',
    newValues: { 'response.offer.trade_offer_state': 'pending' },
    reactions: itemReactions('response.offer.'),
  }),
  economy('GetTradeStatus', trades, tradeReactions),
  economy('GetTradeHistory', trades, tradeReactions),
  economy(
    'GetTradeHoldDurations',
    z.object({ response: z.object({ my_escrow: escrow, their_escrow: escrow }) }),
    { reaction: 'noAnswer' },
  ),
  {
    platform: 'steam',
    place: 'inventory',
    schema: inventory,
    reaction: 'rowSkipped',
    newValues: { success: 'noAnswer', more_items: 'readAsIs' },
    reactions: {
      success: 'noAnswer',
      total_inventory_count: 'noAnswer',
      last_assetid: 'noAnswer',
      more_items: 'readAsIs',
    },
    source: 'https://github.com/DoctorMcKay/node-steamcommunity/blob/master/components/users.js',
  },
  {
    platform: 'steam',
    place: 'ISteamUser/GetPlayerBans/v1',
    schema: z.object({
      players: z.array(z.object({ SteamId: id, VACBanned: z.boolean(), NumberOfGameBans: z.number() })),
    }),
    reaction: 'unknown',
    source: 'https://partner.steamgames.com/doc/webapi/ISteamUser#GetPlayerBans',
  },
];

const shapeOf = new Map(steamShapes.map((shape) => [shape.place, shape]));

/** Compares an answer with the shape of its place. An answer that Steam calls a failure has none. */
export function watchSteamAnswer(
  uri: string,
  { body, result }: { body: unknown; result: string | undefined },
) {
  if (result !== undefined && result !== '1') return;
  const path = new URL(uri).pathname.replace(/^\/|\/$/g, '');
  const shape = shapeOf.get(path.startsWith('inventory/') ? 'inventory' : path);
  if (shape && body !== null) answerWatch.look(shape, body);
}
