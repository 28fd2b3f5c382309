import { expect, test } from 'vitest';
import { readSentPage } from '#bot/steam/sent-offers.ts';

/** Reads a page of sent offers that Steam answers so. */
const read = (body: string) => {
  type Receive = (error: null, response: object, body: string) => void;
  const community = { httpRequestGet: (_: object, receive: Receive) => receive(null, {}, body) };
  return readSentPage(community as unknown as Parameters<typeof readSentPage>[0]);
};

/** A tab of the pages of trade offers; Steam marks the one that is shown. */
const tab = (path: string, isShown: boolean) =>
  `<a class="right_controls_large_block" href="https://steamcommunity.com/profiles/1/tradeoffers/${path}">
    ${isShown ? '<div class="right_controls_large_block_active_bg"></div>' : ''}<div class="title">Offers</div></a>`;
const tabs = tab('', false) + tab('sent/', true);
const row = (id: string) => `<div class="tradeoffer" id="tradeofferid_${id}"><div class="tradeoffer_items">`;
const twoRows = row('12') + row('7');

const pages: [what: string, body: string, ids: string[]][] = [
  ['with two offers', twoRows + tabs, ['12', '7']],
  ['without offers', tabs, []],
  ['in single quotes', (twoRows + tabs).replaceAll('"', "'"), ['12', '7']],
  [
    'whose row has more classes and attributes',
    `<div id="tradeofferid_9" data-a="1" class="wide tradeoffer ">${tabs}`,
    ['9'],
  ],
];
test.each(pages)('A page of sent offers %s is read for their ids', async (_, body, ids) => {
  expect(await read(body)).toEqual(ids);
});

const others: [what: string, body: string][] = [
  ['A page with a row without an id', `${twoRows}<div class="tradeoffer">${tabs}`],
  ['A page with an id of another form', row('12') + row('x7') + tabs],
  ['The page of incoming offers', twoRows + tab('', true) + tab('sent/', false)],
  ['A page that links to that of sent offers', '<a href="https://steamcommunity.com/my/tradeoffers/sent/">'],
  ['A page with the rows, but without the tabs', twoRows],
  ['A page of another kind', '<html>'],
];
test.each(others)('%s says nothing of sent offers', async (_, body) => {
  await expect(read(body)).rejects.toThrow('the page of sent offers has another form');
});
