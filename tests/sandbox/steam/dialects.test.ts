import { expect, test } from 'vitest';
import { type Dialect, dialectParts, dialects, plainDialect } from '#sandbox/steam/dialects.ts';
import { SteamWorld } from '#sandbox/steam/world.ts';
import { createWorld, hat, logOnBot, redline } from './stage.ts';

/** A rifle of the viewer's that the bot has, under protection. */
async function tradedRifle(shapes: Partial<Dialect>) {
  const stage = await logOnBot();
  const { world, bot, viewer, client } = stage;
  world.speak(shapes);
  const item = world.give(viewer.steamId, redline);
  const sent = world.send(bot.steamId, {
    to: viewer.steamId,
    token: viewer.tradeToken,
    give: [],
    receive: [{ appid: 730, contextid: '2', assetid: item.assetid }],
  });
  if (!sent.ok) throw new Error(sent.message);
  const { offer } = sent;
  const accept = () => {
    const accepted = world.accept(offer.id, viewer.steamId);
    if (!accepted.ok || !accepted.trade) throw new Error('not accepted');
    return accepted.trade;
  };
  const statusOf = async (tradeid: string) =>
    (await client.api('IEconService/GetTradeStatus', { tradeid })).trades[0];
  return { ...stage, item, offer, accept, statusOf };
}

test('A world that was saved before a kind of shape existed speaks the plain one', () => {
  const { world } = createWorld();
  const { dialect, ...saved } = world.toJSON();
  expect(dialect).toEqual(plainDialect);
  const again = SteamWorld.fromJSON({ ...saved, dialect: { reversal: 'mirroredOldIds' } }, { now: Date.now });
  expect(again.state.dialect).toEqual({ ...plainDialect, reversal: 'mirroredOldIds' });
  for (const part of dialectParts) expect(Object.keys(dialects[part]).length).toBeGreaterThan(1);
});

test('A mirrored reversal repeats the trade, and the item is back under its first id', async () => {
  const { world, viewer, item, accept, statusOf } = await tradedRifle({
    reversal: 'mirroredOldIds',
    newIds: 'omitted',
  });
  const trade = accept();
  expect((await statusOf(trade.id)).assets_received[0]).not.toHaveProperty('new_assetid');
  const reversed = world.reverseTrade(trade.id);
  if (!reversed.ok) throw new Error(reversed.message);
  const original = await statusOf(trade.id);
  expect(original).toMatchObject({ status: 12, assets_received: [{ assetid: item.assetid }] });
  expect(original).not.toHaveProperty('time_settlement');
  const reversal = await statusOf(reversed.trades[0]?.id ?? '');
  expect(reversal).toMatchObject({
    status: 3,
    rollback_trade: trade.id,
    assets_received: [{ assetid: item.assetid, contextid: '2' }],
  });
  expect(world.inventoryOf(viewer.steamId)).toMatchObject([{ assetid: item.assetid, contextid: '2' }]);
});

test('A settlement is told, quoted or left out, and may last until midnight', async () => {
  const { world, accept, statusOf } = await tradedRifle({
    settlement: 'quoted',
    protection: 'untilMidnight',
  });
  const { id, settlesAt } = accept();
  expect((await statusOf(id)).time_settlement).toBe(String(settlesAt));
  expect(settlesAt % 86_400).toBe(7 * 3600);
  expect((settlesAt - world.nowSeconds()) / 86_400).toBeGreaterThan(6.9);
  expect((settlesAt - world.nowSeconds()) / 86_400).toBeLessThanOrEqual(8);
  world.speak({ settlement: 'absent' });
  expect(await statusOf(id)).not.toHaveProperty('time_settlement');
});

test('Offers are listed without their items or their ids, and over several pages', async () => {
  const { world, bot, viewer, client, offer, accept } = await tradedRifle({ offerItems: 'blank' });
  const read = async () => (await client.api('IEconService/GetTradeOffer', { tradeofferid: offer.id })).offer;
  expect(await read()).not.toHaveProperty('items_to_receive');
  world.speak({ offerItems: 'missingOnceAccepted', offerPages: 'short' });
  expect((await read()).items_to_receive).toMatchObject([{ assetid: offer.receive[0]?.assetid }]);
  accept();
  const [item] = (await read()).items_to_receive;
  expect(item).toMatchObject({ missing: true });
  expect(item).not.toHaveProperty('assetid');

  for (let more = 0; more < 2; more += 1) {
    const { assetid } = world.give(viewer.steamId, hat);
    const receive = [{ appid: 440, contextid: '2', assetid }];
    world.send(bot.steamId, { to: viewer.steamId, token: viewer.tradeToken, give: [], receive });
  }
  const page = (cursor: number) => client.api('IEconService/GetTradeOffers', { get_sent_offers: 1, cursor });
  const first = await page(0);
  expect([first.trade_offers_sent.length, first.next_cursor]).toEqual([2, 2]);
  const last = await page(first.next_cursor);
  expect([last.trade_offers_sent.length, last.next_cursor]).toEqual([1, 0]);
});

test('Items of a held trade that was undone are back under new ids', async () => {
  const { world, viewer, offer, accept } = await tradedRifle({ failedTrades: 'newIds' });
  world.setEscrowDays(viewer.steamId, 3);
  accept();
  world.decline(offer.id, viewer.steamId);
  const [back] = world.inventoryOf(viewer.steamId);
  expect(back).toMatchObject({ contextid: '2', classid: redline.classid });
  expect(back?.assetid).not.toBe(offer.receive[0]?.assetid);
});

test('Inventories and the trade history have gaps', async () => {
  const { world, bot, client, accept } = await tradedRifle({ history: 'oddPages', descriptions: 'odd' });
  accept();
  const { trades, more } = await client.api('IEconService/GetTradeHistory', { max_trades: 100 });
  expect(trades).toMatchObject([{ status: 77 }, { status: null }, { status: 3 }]);
  expect(more).toBe(false);
  const read = () => client.get(`https://steamcommunity.com/inventory/${bot.steamId}/730/16`);
  expect((await read()).body).toMatchObject({ descriptions: [{ tags: '' }], total_inventory_count: 1 });
  world.speak({ inventory: 'emptyWithTotal' });
  expect((await read()).body).toEqual({ total_inventory_count: 1, success: 1, rwgrsn: -2 });
});

test('Ended offers count against the limit until their sender visits the page of sent offers', async () => {
  const { world, bot, viewer, client } = await logOnBot();
  const send = () => {
    const { assetid } = world.give(viewer.steamId, redline);
    return world.send(bot.steamId, {
      to: viewer.steamId,
      token: viewer.tradeToken,
      give: [],
      receive: [{ appid: 730, contextid: '2', assetid }],
    });
  };
  for (let ended = 0; ended < 5; ended += 1) {
    const sent = send();
    if (!sent.ok) throw new Error(sent.message);
    expect(
      (ended % 2 ? world.decline(sent.offer.id, viewer.steamId) : world.cancel(sent.offer.id, bot.steamId))
        .ok,
    ).toBe(true);
  }
  world.speak({ endedOffers: 'countUntilSeen' });
  expect(send()).toMatchObject({ ok: false, eresult: 50 });
  const { status, headers } = await client.get('https://steamcommunity.com/my/tradeoffers/sent');
  expect([status, headers.location]).toEqual([302, expect.stringContaining(`/profiles/${bot.steamId}/`)]);
  expect(send()).toMatchObject({ ok: false });
  const page = await client.get(headers.location ?? '');
  expect(page.status).toBe(200);
  expect(page.body).toContain('right_controls_large_block_active_bg');
  expect(send()).toMatchObject({ ok: true });
});

test('What a trade brought within ten days is hidden from others, if Steam hides it', async () => {
  const { world, bot, viewer, client, passDays } = await logOnBot();
  const { assetid } = world.give(viewer.steamId, hat);
  const receive = [{ appid: 440, contextid: '2', assetid }];
  const other = world.addUser({ name: 'Demo trader' });
  const asked = { to: viewer.steamId, token: viewer.tradeToken, give: [], receive };
  world.acknowledgeProtection(other.steamId);
  const sent = world.send(other.steamId, asked);
  if (!sent.ok || !world.accept(sent.offer.id, viewer.steamId).ok) throw new Error('no trade');
  const count = async () => {
    const { body } = await client.get(`https://steamcommunity.com/inventory/${other.steamId}/440/2`);
    return (body as { total_inventory_count: number }).total_inventory_count;
  };
  expect(await count()).toBe(1);
  world.speak({ youngItems: 'hidden' });
  expect(await count()).toBe(0);
  expect(world.inventoryOf(bot.steamId)).toEqual([]);
  passDays(10);
  expect(await count()).toBe(1);
});
