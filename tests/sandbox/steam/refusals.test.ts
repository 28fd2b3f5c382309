import { expect, test } from 'vitest';
import { issueToken } from '#sandbox/steam/tokens.ts';
import { failureOf } from './real-client.ts';
import { coin, connect, demoLogin, hat, logOnBot, redline, serveWorld } from './stage.ts';

test('Missing, untradable and protected items are refused with 26', async () => {
  const { world, bot, streamer, viewer, client } = await logOnBot();
  const untradable = world.give(streamer.steamId, coin);
  const gone = client.offerTo(streamer);
  gone.addTheirItem({ appid: 730, contextid: '2', assetid: '999' } as never);
  expect((await failureOf(client.send(gone))).eresult).toBe(26);

  const stuck = client.offerTo(streamer);
  stuck.addTheirItem(untradable as never);
  expect((await failureOf(client.send(stuck))).eresult).toBe(26);

  const item = world.give(streamer.steamId, redline);
  const deposit = client.offerTo(streamer);
  deposit.addTheirItem(item as never);
  await client.send(deposit);
  world.accept(deposit.id ?? '', streamer.steamId);
  const [held] = world.inventoryOf(bot.steamId);
  const tooSoon = client.offerTo(viewer);
  tooSoon.addMyItem(held as never);
  expect((await failureOf(client.send(tooSoon))).eresult).toBe(26);
  expect(world.offers()).toHaveLength(1);
});

test('A wrong or rotated trade token is refused with 15, and the trade page says so', async () => {
  const { world, streamer, client } = await logOnBot();
  const item = world.give(streamer.steamId, hat);
  const old = world.tradeUrlOf(streamer);
  world.rotateTradeToken(streamer.steamId);
  const offer = client.manager.createOffer(old);
  offer.addTheirItem(item as never);
  expect((await failureOf(client.send(offer))).eresult).toBe(15);
  const details = new Promise((_resolve, reject) => offer.getUserDetails((error) => reject(error)));
  expect((await failureOf(details)).message).toBe(
    'This Trade URL is no longer valid for sending a trade offer to Demo streamer.',
  );
  const answer = await client.get(
    `https://api.steampowered.com/IEconService/GetTradeHoldDurations/v1/?access_token=${(client.manager as unknown as { accessToken: string }).accessToken}&steamid_target=${streamer.steamId}&trade_offer_access_token=oldtoken`,
  );
  expect(answer.headers['x-eresult']).toBe('15');
});

test('A private or a full inventory is refused with 15', async () => {
  const { world, bot, streamer, viewer, client } = await logOnBot();
  const item = world.give(streamer.steamId, hat);
  world.setPrivateInventory(streamer.steamId, true);
  const hidden = client.offerTo(streamer);
  hidden.addTheirItem(item as never);
  expect((await failureOf(client.send(hidden))).eresult).toBe(15);
  expect((await failureOf(client.items(streamer.steamId, 440, 2))).message).toBe('This profile is private.');

  for (let index = 0; index < 1000; index += 1) world.give(viewer.steamId, redline);
  const tooMuch = client.offerTo(viewer);
  tooMuch.addMyItem(world.give(bot.steamId, redline) as never);
  expect((await failureOf(client.send(tooMuch))).eresult).toBe(15);

  for (let index = 0; index < 999; index += 1) world.give(bot.steamId, redline);
  const fullBot = client.offerTo(viewer);
  fullBot.addTheirItem(viewer.items[0] as never);
  expect((await failureOf(client.send(fullBot))).eresult).toBe(15);
});

test('The sixth open offer to one partner is refused as too many', async () => {
  const { world, streamer, client } = await logOnBot();
  const send = () => {
    const offer = client.offerTo(streamer);
    offer.addTheirItem(world.give(streamer.steamId, hat) as never);
    return client.send(offer);
  };
  for (let count = 0; count < 5; count += 1) await send();
  expect(await failureOf(send())).toMatchObject({ eresult: 25, cause: 'OfferLimitExceeded' });
});

test('The thirty-first open offer is refused as too many, whoever it is for', async () => {
  const { world, client } = await logOnBot();
  const people = Array.from({ length: 7 }, (_, index) => world.addUser({ name: `Demo person ${index}` }));
  const send = (index: number) => {
    const person = people[index] ?? people[0];
    if (person === undefined) throw new Error('nobody');
    const offer = client.offerTo(person);
    offer.addTheirItem(world.give(person.steamId, hat) as never);
    return client.send(offer);
  };
  for (let count = 0; count < 30; count += 1) await send(Math.floor(count / 5));
  expect(await failureOf(send(6))).toMatchObject({ eresult: 25, cause: 'OfferLimitExceeded' });
  const [first] = world.offers();
  world.decline(first?.id ?? '', first?.to ?? '');
  expect(await send(6)).toBe('sent');
});

test('Trading with a banned person is refused, with the reason in the text', async () => {
  const { world, streamer, client } = await logOnBot();
  world.setTradeBan(streamer.steamId, world.nowSeconds() + 1000);
  const offer = client.offerTo(streamer);
  offer.addTheirItem(world.give(streamer.steamId, hat) as never);
  expect(await failureOf(client.send(offer))).toMatchObject({ cause: 'TradeBan' });
});

test('An unknown partner, an empty offer and a message of 129 characters are refused with 8', async () => {
  const { world, bot, streamer } = await logOnBot();
  const { appid, contextid, assetid } = world.give(streamer.steamId, hat);
  const base = { token: streamer.tradeToken, give: [], receive: [{ appid, contextid, assetid }] };
  const send = (more: object) => world.send(bot.steamId, { ...base, to: streamer.steamId, ...more });
  expect(send({ to: '76561197960265729' })).toMatchObject({ ok: false, eresult: 8 });
  expect(send({ receive: [] })).toMatchObject({ ok: false, eresult: 8 });
  expect(send({ message: 'x'.repeat(129) })).toMatchObject({ ok: false, eresult: 8 });
  expect(send({ message: 'x'.repeat(128) })).toMatchObject({ ok: true });
});

test('A bot cannot send before it has acknowledged the Trade Protection notice', async () => {
  const { world, steam, streamer } = await serveWorld();
  const fresh = world.addUser({ name: 'Demo fresh bot', login: demoLogin('demo_fresh_bot') });
  const client = connect(steam.proxyUrl);
  await client.logOn({ refreshToken: issueToken(world.state, fresh, 'refresh') });
  const send = () => {
    const offer = client.offerTo(streamer);
    offer.addTheirItem(world.give(streamer.steamId, hat) as never);
    return client.send(offer);
  };
  expect((await failureOf(send())).eresult).toBe(24);
  expect(world.offers()).toEqual([]);
  await client.acknowledge();
  expect(await send()).toBe('sent');
});

test('An offer whose item has moved elsewhere becomes invalid', async () => {
  const { world, streamer, viewer, client } = await logOnBot();
  const item = world.give(streamer.steamId, hat);
  const offer = client.offerTo(streamer);
  offer.addTheirItem(item as never);
  await client.send(offer);
  const { appid, contextid, assetid } = item;
  const gift = world.send(streamer.steamId, {
    to: viewer.steamId,
    token: viewer.tradeToken,
    give: [{ appid, contextid, assetid }],
    receive: [],
  });
  if (!gift.ok) throw new Error(gift.message);
  expect(world.accept(gift.offer.id, viewer.steamId).ok).toBe(true);
  expect(world.offer(offer.id ?? '')?.state).toBe(8);
  expect(world.accept(offer.id ?? '', streamer.steamId)).toMatchObject({ ok: false, eresult: 11 });
});
