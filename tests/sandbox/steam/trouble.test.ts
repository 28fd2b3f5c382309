import { once } from 'node:events';
import type TradeOffer from 'steam-tradeoffer-manager/lib/classes/TradeOffer.js';
import { expect, test } from 'vitest';
import type { FaultPreset } from '#sandbox/steam/faults.ts';
import { issueToken } from '#sandbox/steam/tokens.ts';
import { failureOf } from './real-client.ts';
import { connect, hat, logOnBot } from './stage.ts';

type Stage = Awaited<ReturnType<typeof logOnBot>>;

function claim({ world, bot, viewer, client }: Stage, message: string) {
  const offer = client.offerTo(viewer);
  offer.addMyItem(world.give(bot.steamId, hat) as never);
  offer.setMessage(message);
  return offer;
}

const lostAnswers: [FaultPreset, number | undefined][] = [
  ['sendAnswers500AfterEffect', undefined],
  ['sendDropsAfterEffect', undefined],
  ['sendTimesOutAfterEffect', 16],
];

test.each(lostAnswers)('The offer exists despite %s', async (preset, eresult) => {
  const stage = await logOnBot();
  const { world, client } = stage;
  world.pushFault(preset);
  const unknown = once(client.manager, 'unknownOfferSent') as Promise<[TradeOffer]>;
  const failure = await failureOf(client.send(claim(stage, 'claim C-1')));
  expect(failure.eresult).toBe(eresult);
  expect(world.offers()).toMatchObject([{ state: 9, message: 'claim C-1' }]);
  await client.poll();
  expect((await unknown)[0].message).toBe('claim C-1');
  expect(world.faults()).toEqual([]);
});

const lostRequests: [FaultPreset, number | undefined][] = [
  ['sendAnswers500BeforeEffect', undefined],
  ['sendDropsBeforeEffect', undefined],
  ['sendTimesOutBeforeEffect', 16],
  ['itemServerDown', 20],
];

test.each(lostRequests)('No offer exists after %s, and the next one succeeds', async (preset, eresult) => {
  const stage = await logOnBot();
  const { world, client } = stage;
  world.pushFault(preset);
  const failure = await failureOf(client.send(claim(stage, 'claim C-2')));
  expect(failure.eresult).toBe(eresult);
  expect(world.offers()).toEqual([]);
  expect(await client.send(claim(stage, 'claim C-2'))).toBe('pending');
});

test('A rate limit says when to retry', async () => {
  const { world, client, viewer } = await logOnBot();
  world.pushFault('inventoryRateLimited');
  const address = `https://steamcommunity.com/inventory/${viewer.steamId}/440/2?count=10`;
  expect(await client.get(address)).toMatchObject({ status: 429, headers: { 'retry-after': '5' } });
  expect((await client.get(address)).status).toBe(200);
});

test('A fault for one account does not affect others, and occurs as often as ordered', async () => {
  const { world, bot, streamer } = await logOnBot();
  world.pushFault({
    target: 'accept',
    when: 'before',
    effect: { kind: 'drop' },
    steamId: bot.steamId,
    times: 2,
  });
  expect(world.takeFault('accept', streamer.steamId)).toBeNull();
  expect(world.takeFault('send', bot.steamId)).toBeNull();
  expect(world.takeFault('accept', bot.steamId)).not.toBeNull();
  expect(world.takeFault('accept', bot.steamId)).not.toBeNull();
  expect(world.takeFault('accept', bot.steamId)).toBeNull();
});

test('A confirmation with a lost answer has confirmed the offer', async () => {
  const stage = await logOnBot();
  const { world, client, login } = stage;
  const offer = claim(stage, 'claim C-3');
  await client.send(offer);
  world.pushFault('confirmationDropsAfterEffect');
  await failureOf(client.confirm(login.identitySecret, offer.id ?? ''));
  expect(world.offer(offer.id ?? '')?.state).toBe(2);
  expect((await failureOf(client.confirm(login.identitySecret, offer.id ?? ''))).message).toContain(
    'No confirmation',
  );
});

test('A confirmation refused on the phone ends the offer', async () => {
  const stage = await logOnBot();
  const { world, client, login } = stage;
  const offer = claim(stage, 'claim C-4');
  await client.send(offer);
  await client.confirm(login.identitySecret, offer.id ?? '', false);
  expect(world.offer(offer.id ?? '')?.state).toBe(10);
});

test('Confirmations need the identity secret', async () => {
  const stage = await logOnBot();
  await stage.client.send(claim(stage, 'claim C-5'));
  const wrong = Buffer.alloc(20, 1).toString('base64');
  expect((await failureOf(stage.client.confirmations(wrong))).message).toBe('Invalid authenticator');
});

test('Invalid access tokens end the web session, and a new log-on creates another', async () => {
  const stage = await logOnBot();
  const { world, bot, client } = stage;
  world.killAccessTokens(bot.steamId);
  const expired = once(client.manager, 'sessionExpired');
  await failureOf(client.poll());
  await expired;
  expect((await failureOf(client.send(claim(stage, 'claim C-6')))).message).toBe('Not Logged In');
  expect((await client.get('https://steamcommunity.com/tradeoffer/1/')).status).toBe(302);

  // Within ten minutes steam-user returns the same access token again; only a relog gets another.
  const session = once(client.user, 'webSession') as Promise<[string, string[]]>;
  client.user.relog();
  await client.setCookies((await session)[1]);
  expect(await client.send(claim(stage, 'claim C-6'))).toBe('pending');
});

test('A revoked refresh token is refused at the next log-on', async () => {
  const { world, bot, steam } = await logOnBot();
  const refreshToken = issueToken(world.state, bot, 'refresh');
  world.killRefreshTokens(bot.steamId);
  expect((await failureOf(connect(steam.proxyUrl).logOn({ refreshToken }))).eresult).toBe(5);
});

test('A closed socket is reconnected automatically', async () => {
  const { world, bot, client } = await logOnBot();
  const back = once(client.user, 'loggedOn');
  const gone = once(client.user, 'disconnected');
  expect(world.closeSocket(bot.steamId)).toBe(true);
  await gone;
  await back;
  expect(world.isConnected(bot.steamId)).toBe(true);
});

test('A kick ends the session with its result', async () => {
  const { world, bot, client } = await logOnBot();
  const fatal = once(client.user, 'error') as Promise<[Error & { eresult: number }]>;
  expect(world.kick(bot.steamId, 6)).toBe(true);
  expect((await fatal)[0].eresult).toBe(6);
});

test('A second process on the same account ends the first one’s session with 34', async () => {
  const { world, bot, client, steam } = await logOnBot();
  const fatal = once(client.user, 'error') as Promise<[Error & { eresult: number }]>;
  const second = connect(steam.proxyUrl);
  await second.logOn({ refreshToken: issueToken(world.state, bot, 'refresh') });
  expect((await fatal)[0].eresult).toBe(34);
  expect(world.isConnected(bot.steamId)).toBe(true);
});
