import { once } from 'node:events';
import { generateAuthCode, getConfirmationKey, time as totpTime } from 'steam-totp';
import TradeOfferManager from 'steam-tradeoffer-manager';
import type TradeOffer from 'steam-tradeoffer-manager/lib/classes/TradeOffer.js';
import { expect, test } from 'vitest';
import { botsFile, seedSteam } from '#sandbox/steam/seed.ts';
import { failureOf, promised } from './real-client.ts';
import { connect, hat, logOnBot, redline, serveWorld } from './stage.ts';

const { ETradeOfferState: state } = TradeOfferManager;

test('An item goes from the streamer to the bot, through protection, and on to the viewer', async () => {
  const { world, bot, login, streamer, viewer, client, passDays } = await logOnBot();
  const item = world.give(streamer.steamId, redline);

  const deposit = client.manager.createOffer(world.tradeUrlOf(streamer));
  deposit.addTheirItem(item as never);
  deposit.setMessage('deposit D-1');
  expect(await client.send(deposit)).toBe('sent');
  const accepted = once(client.manager, 'sentOfferChanged') as Promise<[TradeOffer, number]>;
  expect(world.accept(deposit.id ?? '', streamer.steamId).ok).toBe(true);
  const [changed, before] = await accepted;
  expect([changed.id, before, changed.state]).toEqual([deposit.id, state.Active, state.Accepted]);

  const exchange = await client.exchangeOf(changed);
  expect(exchange.status).toBe(3);
  const [received] = exchange.received;
  expect(received).toMatchObject({ assetid: item.assetid, new_contextid: '16', name: redline.name });
  const [held] = await client.items(bot.steamId, 730, 16);
  expect(held).toMatchObject({ assetid: received?.new_assetid, tradable: false });
  const until = /until \[date\](\d+)\[\/date\]/.exec(JSON.stringify(held?.owner_descriptions))?.[1];
  expect(Number(until) - world.nowSeconds()).toBeGreaterThan(7 * 86_400 - 10);

  passDays(7);
  const [free] = await client.items(bot.steamId, 730, 2, true);
  expect(free?.assetid).toBe(held?.assetid);
  const claim = client.manager.createOffer(world.tradeUrlOf(viewer));
  claim.addMyItem(free as never);
  expect(await client.send(claim)).toBe('pending');
  expect(world.offersOf(viewer.steamId)).toEqual([]);
  const confirmed = once(client.manager, 'sentOfferChanged') as Promise<[TradeOffer, number]>;
  await client.confirm(login.identitySecret, claim.id ?? '');
  await client.poll();
  expect((await confirmed)[0].state).toBe(state.Active);
  const taken = once(client.manager, 'sentOfferChanged') as Promise<[TradeOffer, number]>;
  expect(world.accept(claim.id ?? '', viewer.steamId).ok).toBe(true);
  expect((await taken)[0].state).toBe(state.Accepted);
  expect(world.inventoryOf(viewer.steamId)).toMatchObject([{ classid: redline.classid, contextid: '16' }]);
  expect(world.inventoryOf(bot.steamId)).toEqual([]);
});

test('A bot logs on with password and code, and its new refresh token works as well', async () => {
  const { bot, login, steam, world } = await serveWorld();
  const first = connect(steam.proxyUrl);
  const token = once(first.user, 'refreshToken');
  const { accountName, password, sharedSecret } = login;
  await first.logOn({ accountName, password, twoFactorCode: generateAuthCode(sharedSecret) });
  const [refreshToken] = (await token) as [string];
  expect(world.isConnected(bot.steamId)).toBe(true);
  first.close();

  const second = connect(steam.proxyUrl);
  await second.logOn({ refreshToken });
  expect(String(second.manager.steamID)).toBe(bot.steamId);
});

test('A wrong password is refused for good', async () => {
  const { login, steam } = await serveWorld();
  const client = connect(steam.proxyUrl);
  const failure = await failureOf(client.logOn({ accountName: login.accountName, password: 'wrong' }));
  expect(failure.eresult).toBe(5);
});

test('An offer from a person reaches the bot by a push, and the bot confirms what it gives', async () => {
  const { world, bot, login, viewer, client } = await logOnBot();
  const item = world.give(viewer.steamId, hat);
  const wanted = world.give(bot.steamId, hat);
  const arrived = once(client.manager, 'newOffer') as Promise<[TradeOffer]>;
  const name = ({ appid, contextid, assetid }: typeof item) => ({ appid, contextid, assetid });
  const sent = world.send(viewer.steamId, {
    to: bot.steamId,
    token: bot.tradeToken,
    give: [name(item)],
    receive: [name(wanted)],
    message: 'swap?',
  });
  expect(sent).toMatchObject({ ok: true, needsConfirmation: false });
  const [offer] = await arrived;
  expect(offer.message).toBe('swap?');
  expect(await promised<string>((callback) => offer.accept(true, callback))).toBe('pending');
  await client.confirm(login.identitySecret, offer.id ?? '');
  expect(world.offer(offer.id ?? '')?.state).toBe(state.Accepted);
  expect(world.inventoryOf(bot.steamId)).toMatchObject([{ appid: 440, contextid: '2', protectedUntil: 0 }]);
});

test('Several seeded bots can be logged on at once, with their entries of the bots file', async () => {
  const { world, steam } = await serveWorld();
  const { bots } = seedSteam(world);
  const entries = botsFile(world).filter((entry) => bots.some((bot) => bot.name === entry.name));
  const clients = await Promise.all(
    entries.map(async ({ accountName, password, sharedSecret }) => {
      const client = connect(steam.proxyUrl);
      await client.logOn({ accountName, password, twoFactorCode: generateAuthCode(sharedSecret) });
      return client;
    }),
  );
  expect(clients.map((client) => String(client.manager.steamID))).toEqual(bots.map((bot) => bot.steamId));
  expect(bots.every((bot) => world.isConnected(bot.steamId))).toBe(true);
});

test('Several confirmations can be answered in one request', async () => {
  const { world, bot, login, viewer, client } = await logOnBot();
  for (let count = 0; count < 2; count += 1) {
    const offer = client.offerTo(viewer);
    offer.addMyItem(world.give(bot.steamId, hat) as never);
    await client.send(offer);
  }
  const time = totpTime(0);
  const key = (tag: string) => getConfirmationKey(login.identitySecret, time, tag);
  await promised((callback) =>
    client.community.acceptAllConfirmations(time, key('conf'), key('allow'), callback),
  );
  expect(world.offers().map((offer) => offer.state)).toEqual([state.Active, state.Active]);
});
