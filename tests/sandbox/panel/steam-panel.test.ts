import { afterEach, beforeEach, expect, test } from 'vitest';
import { openTestPanel, rifle, type TestPanel } from './test-panel.ts';

const kind = `${rifle.appid}/${rifle.classid}/${rifle.instanceid}`;
const weekDays = 7;
let world: TestPanel;
const pathOf = (person: { steamId: string }) => `/steam/users/${person.steamId}`;

beforeEach(async () => {
  world = await openTestPanel();
});

afterEach(async () => {
  await world.close();
  expect(world.failures).toEqual([]);
});

const itemsOf = async (person: { steamId: string }) =>
  (await world.read(`${pathOf(person)}/inventory.json`)).items;
const offersOf = async (person: { steamId: string }) =>
  (await world.read(`${pathOf(person)}/offers.json`)).offers;

/** The bot asks the giver for their first item, as in a deposit. */
async function askForDeposit() {
  await world.play(`${pathOf(world.giver)}/give`, { kind });
  const [item] = await itemsOf(world.giver);
  const asked = await world.play(`${pathOf(world.bot)}/offers`, {
    to: world.giver.steamId,
    receive: item.key,
  });
  return asked.body.offer.id as string;
}

test('Catalogue items are given and shown with their pictures', async () => {
  const { kinds } = await world.read('/steam/catalogue.json');
  expect(kinds).toEqual([
    { kind, name: rifle.market_name, marketHashName: rifle.market_hash_name, tradable: true },
  ]);
  const given = await world.submit(`${pathOf(world.giver)}/give`, { kind, count: '3' });
  expect(given.statusCode).toBe(303);
  expect(await itemsOf(world.giver)).toHaveLength(3);
  expect((await itemsOf(world.giver))[0]).toMatchObject({
    appid: 730,
    contextid: '2',
    name: rifle.market_name,
    tradable: true,
    protectedUntil: 0,
    pictureUrl: 'http://localhost:3013/images/rifle-picture',
  });
  const page = await world.see(pathOf(world.giver));
  expect(page.text).toContain('src="http://localhost:3013/images/rifle-picture"');
  expect(page.text).toContain('× 3');
});

test('A person accepts a deposit, and the bot’s item is locked until the clock is advanced', async () => {
  const offerId = await askForDeposit();
  expect(await offersOf(world.giver)).toEqual([
    expect.objectContaining({
      id: offerId,
      direction: 'received',
      stateName: 'open',
      give: [],
      receive: [expect.objectContaining({ name: rifle.market_name })],
    }),
  ]);
  expect((await world.see(pathOf(world.giver))).text).toContain(`/offers/${offerId}/accept`);
  const accepted = await world.play(`${pathOf(world.giver)}/offers/${offerId}/accept`);
  expect(accepted.body).toMatchObject({ ok: true, needsConfirmation: false, said: 'The offer is accepted.' });
  expect(await itemsOf(world.giver)).toEqual([]);
  expect((await itemsOf(world.bot))[0]).toMatchObject({ contextid: '16', tradable: false });
  expect((await world.see(pathOf(world.bot))).text).toContain('protected until');
  await world.play('/clock/advance', { days: weekDays });
  expect((await itemsOf(world.bot))[0]).toMatchObject({ contextid: '2', tradable: true });
});

test('A person declines, and a sender cancels', async () => {
  const declined = await askForDeposit();
  await world.submit(`${pathOf(world.giver)}/offers/${declined}/decline`, {});
  expect(world.steam.offer(declined)?.state).toBe(7);
  const canceled = await askForDeposit();
  await world.submit(`${pathOf(world.bot)}/offers/${canceled}/cancel`, {});
  expect(world.steam.offer(canceled)?.state).toBe(6);
  expect(await world.play(`${pathOf(world.giver)}/offers/${canceled}/accept`)).toMatchObject({
    status: 409,
    body: { message: expect.stringContaining('(11)') },
  });
});

test('A counter offer ends the first one and asks in return', async () => {
  const offerId = await askForDeposit();
  await world.play(`${pathOf(world.bot)}/give`, { kind });
  const [wanted] = await itemsOf(world.bot);
  const answer = await world.play(`${pathOf(world.giver)}/offers/${offerId}/counter`, {
    receive: [wanted.key],
    message: 'Only this',
  });
  expect(answer.body.offer).toMatchObject({ to: world.bot.steamId, message: 'Only this', counters: offerId });
  expect(world.steam.offer(offerId)?.state).toBe(4);
});

test('A bot’s gift waits for its phone, which the panel answers', async () => {
  await world.play(`${pathOf(world.bot)}/give`, { kind });
  const [item] = await itemsOf(world.bot);
  const sent = await world.play(`${pathOf(world.bot)}/offers`, { to: world.taker.steamId, give: [item.key] });
  expect(await offersOf(world.taker)).toEqual([]);
  expect((await offersOf(world.bot))[0]).toMatchObject({
    stateName: 'waits for the phone',
    needsConfirmation: true,
  });
  await world.submit(`${pathOf(world.bot)}/offers/${sent.body.offer.id}/confirm`, {});
  expect((await offersOf(world.taker))[0]).toMatchObject({ stateName: 'open', direction: 'received' });
});

test('The phone can also refuse', async () => {
  await world.play(`${pathOf(world.bot)}/give`, { kind });
  const [item] = await itemsOf(world.bot);
  const sent = await world.play(`${pathOf(world.bot)}/offers`, { to: world.taker.steamId, give: [item.key] });
  await world.play(`${pathOf(world.bot)}/offers/${sent.body.offer.id}/confirm`, { allow: false });
  expect((await offersOf(world.bot))[0]).toMatchObject({ stateName: 'refused on the phone' });
});

test('A new trade URL invalidates the old token', async () => {
  const old = world.giver.tradeToken;
  const rotated = await world.play(`${pathOf(world.giver)}/rotate-token`);
  expect(rotated.body.tradeUrl).toBe(world.steam.tradeUrlOf(world.giver));
  await world.play(`${pathOf(world.giver)}/give`, { kind });
  const [item] = await itemsOf(world.giver);
  const refused = await world.play(`${pathOf(world.bot)}/offers`, {
    to: world.giver.steamId,
    token: old,
    receive: item.key,
  });
  expect(refused).toMatchObject({ status: 409, body: { message: expect.stringContaining('(15)') } });
});

test('Privacy, trade hold and trade ban are set and shown', async () => {
  await world.submit(`${pathOf(world.giver)}/private`, { private: 'true' });
  await world.submit(`${pathOf(world.giver)}/escrow`, { days: '15' });
  await world.submit(`${pathOf(world.giver)}/trade-ban`, { days: '2' });
  expect(world.steam.userBySteamId(world.giver.steamId)).toMatchObject({
    privateInventory: true,
    escrowDays: 15,
  });
  const { text } = await world.see(pathOf(world.giver));
  expect(text).toContain('Make inventory public');
  expect(text).toContain('15 days');
  expect(text).toContain('Lift the trade ban');
  await world.submit(`${pathOf(world.giver)}/private`, { private: 'false' });
  await world.submit(`${pathOf(world.giver)}/trade-ban`, { days: '0' });
  expect(world.steam.userBySteamId(world.giver.steamId)).toMatchObject({
    privateInventory: false,
    tradeBannedUntil: 0,
  });
});

test('A protected trade can be reversed once', async () => {
  const offerId = await askForDeposit();
  await world.play(`${pathOf(world.giver)}/offers/${offerId}/accept`);
  const [trade] = (await world.read(`${pathOf(world.giver)}/trades.json`)).trades;
  expect((await world.see(pathOf(world.giver))).text).toContain(`/steam/trades/${trade.id}/reverse`);
  await world.submit(`/steam/trades/${trade.id}/reverse`, {});
  expect(await itemsOf(world.giver)).toHaveLength(1);
  expect(world.steam.trade(trade.id)?.status).toBe(12);
  expect((await world.see(pathOf(world.giver))).text).not.toContain(`/steam/trades/${trade.id}/reverse`);
  expect((await world.play(`/steam/trades/${trade.id}/reverse`)).status).toBe(409);
});

test('A person who reverses all trades is banned for 30 days', async () => {
  const offerId = await askForDeposit();
  await world.play(`${pathOf(world.giver)}/offers/${offerId}/accept`);
  await world.submit(`${pathOf(world.giver)}/reverse-trades`, {});
  expect(await itemsOf(world.giver)).toHaveLength(1);
  expect(world.giver.tradeBannedUntil - world.steam.nowSeconds()).toBe(30 * 86_400);
});

test.each([
  ['/steam/users/76561197960265729/rotate-token', {}, 404],
  ['GIVER/give', { kind: 'none' }, 400],
  ['GIVER/give', { kind, count: 101 }, 400],
  ['GIVER/escrow', { days: 16 }, 400],
  ['GIVER/offers', { to: '1', give: [] }, 404],
  ['GIVER/offers', { to: 'BOT', give: 'nonsense' }, 400],
  ['GIVER/offers', { to: 'BOT', give: '730/2/9' }, 409],
  ['GIVER/offers/12/accept', {}, 404],
  ['GIVER/offers/12/confirm', {}, 404],
  ['GIVER/reverse-trades', {}, 409],
  ['/steam/trades/12/reverse', {}, 404],
  ['/steam/users', { name: '' }, 400],
])('%s with %j is refused with %i and a reason', async (url, payload, status) => {
  const fields = 'to' in payload && payload.to === 'BOT' ? { ...payload, to: world.bot.steamId } : payload;
  const answer = await world.play(url.replace('GIVER', pathOf(world.giver)), fields);
  expect(answer.status).toBe(status);
  expect(answer.body.message).toMatch(/\w+ .*[.)]$/);
});

test('The product’s link to an offer leads to who has to answer it', async () => {
  const offerId = await askForDeposit();
  const page = await world.see(`/steam/tradeoffer/${offerId}/`);
  expect(page.text).toContain(`Steam: ${world.giver.name}`);
  expect(page.text).toContain(offerId);
  expect((await world.see('/steam/tradeoffer/0/')).status).toBe(404);
  expect((await world.see('/steam/my/tradeoffers/privacy')).text).toContain(world.giver.name);
});
