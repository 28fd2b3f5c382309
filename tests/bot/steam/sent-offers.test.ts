import { expect, test } from 'vitest';
import { offersAnswer, sentOffersOf } from '#bot/steam/sent-offers.ts';

const given = { appid: 730, contextid: 2, assetid: '5' };
const received = { appid: 440, contextid: '2', assetid: 6 };
const row = {
  tradeofferid: 1,
  trade_offer_state: 3,
  accountid_other: 39_734_273,
  message: 'Keepsake K7Q2-M4XD',
  tradeid: '7',
  time_created: '1700000000',
  items_to_give: [given],
  items_to_receive: [received],
};

/** Reads an offer that the Web API describes with these facts. */
const offerOf = (facts: object = {}) => sentOffersOf([{ ...row, ...facts }]).offers[0];

const give = [{ appId: 730, contextId: '2', assetId: '5' }];
const receive = [{ appId: 440, contextId: '2', assetId: '6' }];

test('An offer is read with its partner, state, trade, time and items', () => {
  expect(offerOf()).toEqual({
    offerId: '1',
    partnerSteamId: '76561198000000001',
    message: 'Keepsake K7Q2-M4XD',
    state: 'Accepted',
    tradeId: '7',
    createdAtMs: 1_700_000_000_000,
    items: { give, receive },
  });
});

test('The amounts of assets are read where Steam tells them', () => {
  const items = offerOf({
    items_to_give: [{ ...given, amount: '500' }],
    items_to_receive: [{ ...received, amount: null }],
  })?.items;
  expect(items).toEqual({ give: [{ ...give[0], amount: 500 }], receive });
});

test('What Steam leaves out is unknown, and an unknown state tells of nothing that has happened', () => {
  const bare = { tradeofferid: '1', trade_offer_state: 99 };
  const unknown = { partnerSteamId: null, message: null, tradeId: null, createdAtMs: null, items: null };
  expect(sentOffersOf([bare]).offers).toEqual([{ offerId: '1', state: 'Active', ...unknown }]);
});

test('An offer of one side has its items, whether or not the other side is listed', () => {
  for (const none of [undefined, null, []]) {
    expect(offerOf({ items_to_give: none })?.items).toEqual({ give: [], receive });
    expect(offerOf({ items_to_receive: none })?.items).toEqual({ give, receive: [] });
  }
});

test('The items of an offer without any, or with one that has no name, are unknown', () => {
  const odd: object[] = [
    { items_to_give: [], items_to_receive: [] },
    { items_to_give: null, items_to_receive: null },
    { items_to_give: [given, { appid: 730 }] },
    { items_to_receive: [received, null] },
  ];
  for (const facts of odd) expect(offerOf(facts)?.items).toBeNull();
});

test('A list tells how many of its offers cannot be read; an answer without a list has none', () => {
  const { offers, unreadable } = sentOffersOf([row, null, { ...row, trade_offer_state: 'x' }]);
  expect([offers.length, unreadable]).toEqual([1, 2]);
  expect(offersAnswer.parse({ response: {} }).response.trade_offers_sent).toEqual([]);
});
