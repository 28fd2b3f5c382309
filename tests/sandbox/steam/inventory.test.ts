import { expect, test } from 'vitest';
import { failureOf } from './real-client.ts';
import { coin, hat, logOnBot, redline } from './stage.ts';

test('A large inventory has pages of a thousand', async () => {
  const { world, viewer, client } = await logOnBot();
  for (let index = 0; index < 1500; index += 1) world.give(viewer.steamId, hat);
  const items = await client.items(viewer.steamId, 440, 2);
  expect(new Set(items.map((item) => item.assetid)).size).toBe(1500);
  const page = await client.get(`https://steamcommunity.com/inventory/${viewer.steamId}/440/2?count=1999`);
  expect(page.body).toMatchObject({ more_items: 1, total_inventory_count: 1500, success: 1 });
  expect((page.body as { assets: unknown[] }).assets).toHaveLength(1000);
});

test('A page size of two thousand or more is refused', async () => {
  const { viewer, client } = await logOnBot();
  const address = `https://steamcommunity.com/inventory/${viewer.steamId}/440/2`;
  expect((await client.get(`${address}?count=2000`)).status).toBe(400);
  expect((await client.get(`${address}?count=0`)).status).toBe(400);
});

test('Protected items are visible to their owner only, each with its own date', async () => {
  const { world, bot, streamer, viewer, client, passDays } = await logOnBot();
  const swap = (to: typeof bot) => {
    const { appid, contextid, assetid } = world.give(streamer.steamId, redline);
    const sent = world.send(streamer.steamId, {
      to: to.steamId,
      token: to.tradeToken,
      give: [{ appid, contextid, assetid }],
      receive: [],
    });
    if (!sent.ok) throw new Error(sent.message);
    return world.accept(sent.offer.id, to.steamId);
  };
  expect(swap(viewer).ok).toBe(true);
  expect((await failureOf(client.items(viewer.steamId, 730, 16))).message).toBe('This profile is private.');

  swap(bot);
  passDays(2);
  swap(bot);
  const held = await client.items(bot.steamId, 730, 16);
  const dates = held.map((item) => /\[date\](\d+)/.exec(item.owner_descriptions?.[1]?.value ?? '')?.[1]);
  expect(Number(dates[0]) - Number(dates[1])).toBeGreaterThanOrEqual(2 * 86_400);
  expect(held.map((item) => item.tradable)).toEqual([false, false]);
  passDays(5);
  expect((await client.items(bot.steamId, 730, 16)).map((item) => item.assetid)).toEqual([held[0]?.assetid]);
  expect((await client.items(bot.steamId, 730, 2)).map((item) => item.assetid)).toEqual([held[1]?.assetid]);
});

test('An untradable item is listed, and left out when only tradable ones are requested', async () => {
  const { world, viewer, client } = await logOnBot();
  world.give(viewer.steamId, coin);
  world.give(viewer.steamId, redline);
  expect((await client.items(viewer.steamId, 730, 2)).map((item) => item.name)).toEqual([
    redline.name,
    coin.name,
  ]);
  expect((await client.items(viewer.steamId, 730, 2, true)).map((item) => item.name)).toEqual([redline.name]);
});

test('An inventory without items is empty, not missing', async () => {
  const { bot, client } = await logOnBot();
  expect(await client.items(bot.steamId, 730, 2)).toEqual([]);
  expect(await client.items(bot.steamId, 440, 2)).toEqual([]);
});
