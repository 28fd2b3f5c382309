import { eq } from 'drizzle-orm';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { loader as custodyLoader } from '#app/routes/items/custody.tsx';
import { action as depositAction, loader as depositLoader } from '#app/routes/items/deposit.tsx';
import { loader as inventoryLoader } from '#app/routes/items/inventory.tsx';
import { action as returnAction, loader as returnLoader } from '#app/routes/items/return.tsx';
import { database } from '#app/services/database.server.ts';
import { depositPicks } from '#app/services/items/deposit.server.ts';
import { kindKey } from '#app/services/items/picks.server.ts';
import type { Database } from '#db/database.ts';
import { transferItems } from '#db/schema/transfer.ts';
import { getAccount } from '#domain/account/get-account.ts';
import { newId } from '#domain/kernel/id.ts';
import { day } from '#domain/kernel/time.ts';
import { listTransfers, withAll } from '#domain/transfer/list-transfers.ts';
import { addBot, addPerson, addStreamer, asset, deposit, type Person } from '#tests/support/fixtures.ts';
import { countNudges, startFakeBot } from '../support/fake-bot.ts';
import { visitorOf } from '../support/signed-in.ts';
import type { Visitor } from '../support/visitor.ts';
import { setWeb } from '../support/web.ts';

const bot = await startFakeBot();
await setWeb({ BOT_URL: bot.url });
afterAll(() => bot.stop());

let db: Database;
let streamer: Person;
let visitor: Visitor;
const caseKey = kindKey({ appId: 730, marketHashName: 'Demo case' });
const gloveKey = kindKey({ appId: 730, marketHashName: 'Demo glove' });

beforeEach(async () => {
  db = await database();
  await addBot(db);
  streamer = await addStreamer(db);
  visitor = await visitorOf(streamer.userId);
  bot.trouble = null;
  bot.nudges = 0;
  bot.asked.length = 0;
  bot.inventories.set(streamer.steamId, [
    { ...asset(), tradable: true },
    { ...asset(), tradable: true },
    { ...asset('Demo glove'), tradable: true },
    { ...asset('Demo coin'), tradable: false },
    { ...asset('Demo knife'), tradable: false, protectedUntilMs: Date.now() + day },
  ]);
});

const picks = (more: Record<string, string>, requestId = newId(Date.now())) => ({ requestId, ...more });
const own = async () => withAll(db, (await listTransfers(db, { userId: streamer.userId })).rows);

test('The inventory is grouped by kind, items that can be deposited first, with reasons for the others', async () => {
  const { status, body } = await visitor.call(inventoryLoader, '/items');
  expect(status).toBe(200);
  expect(body.inventory.view.totalPieces).toBe(5);
  expect(body.inventory.view.kinds).toMatchObject([
    { key: caseKey, available: 2, offReason: null },
    { key: gloveKey, available: 1 },
    { name: 'Demo coin', available: 0, offReason: 'notTradable' },
    { name: 'Demo knife', available: 0, offReason: 'protected' },
  ]);
  expect(JSON.stringify(body)).not.toContain('assetId');
});

test('Filters and selections are in the URL, and the plus button increases the quantity', async () => {
  const found = await visitor.call(inventoryLoader, `/items?q=GLOVE&item=${caseKey}&item:${caseKey}=9`);
  expect(found.body.inventory.view.kinds).toMatchObject([{ key: gloveKey }]);
  expect(found.body.inventory.view.picked).toMatchObject([{ key: caseKey, quantity: 2 }]);
  const stepped = await visitor.call(
    inventoryLoader,
    `/items?q=x&item=${caseKey}&item:${caseKey}=1&more=${caseKey}`,
  );
  expect(stepped.status).toBe(302);
  expect(decodeURIComponent(stepped.location ?? '')).toBe(`/items?q=x&item=${caseKey}&item:${caseKey}=2`);
});

test('Refreshing asks the bot for a new inventory, once', async () => {
  const answer = await visitor.call(inventoryLoader, '/items?q=a&fresh=1');
  expect(answer.location).toBe('/items?q=a');
  expect(bot.asked.filter((path) => path.endsWith('refresh=1'))).toHaveLength(2);
});

test('The page still works while the bot or Steam does not answer', async () => {
  bot.trouble = { status: 503, code: 'steamUnavailable' };
  const down = await visitor.call(inventoryLoader, '/items');
  expect(down).toMatchObject({ status: 503, body: { refused: 'inventoryUnavailable', inventory: null } });
  bot.trouble = { status: 403, code: 'inventoryPrivate' };
  const hidden = await visitor.call(inventoryLoader, '/items');
  expect(hidden).toMatchObject({ status: 200, body: { refused: 'inventoryPrivate' } });
});

test('A user without a Steam account is told so, and the bot is not asked', async () => {
  const viewer = await addPerson(db, { steam: false });
  const answer = await (await visitorOf(viewer.userId)).call(inventoryLoader, '/items');
  expect(answer).toMatchObject({ status: 200, body: { linked: false, inventory: null } });
  expect(bot.asked).toEqual([]);
});

test('A deposit is confirmed by kind and quantity, and requested with exact assets', async () => {
  const nudges = countNudges();
  const query = `item=${caseKey}&item:${caseKey}=2&item=${gloveKey}`;
  const confirm = await visitor.call(depositLoader, `/items/deposit?${query}`);
  expect(confirm.body).toMatchObject({
    error: null,
    picked: [
      { name: 'Demo case', quantity: 2 },
      { name: 'Demo glove', quantity: 1 },
    ],
  });
  const form = new URLSearchParams(picks({ item: caseKey, [`item:${caseKey}`]: '2' }));
  form.append('item', gloveKey);
  const answer = await visitor.call(depositAction, '/items/deposit', { form });
  expect(answer).toMatchObject({ status: 302, toast: 'items.deposit.done' });
  expect(answer.location).toBe(`/transfers?open=${form.get('requestId')}`);
  const [transfer] = await own();
  expect(transfer).toMatchObject({ kind: 'deposit', state: 'queued', id: form.get('requestId') });
  expect(transfer?.items.map(({ quantity }) => quantity)).toEqual([2, 1]);
  await expect.poll(nudges).toBe(1);
  await expect.poll(() => bot.nudges).toBeGreaterThanOrEqual(1);
});

test('Pieces of one kind can be listed and deposited one by one, by how worn they are', async () => {
  const [first, second, third] = ['0.31', '0.2', '0.25'].map((wear) => ({
    ...asset(),
    wear,
    tradable: true,
  }));
  bot.inventories.set(streamer.steamId, [first, second, third] as never);
  const { body } = await visitor.call(inventoryLoader, '/items?each=1');
  const { kinds } = body.inventory.view;
  expect(kinds).toMatchObject([
    { wear: '0.2', available: 1 },
    { wear: '0.25', available: 1 },
    { wear: '0.31', available: 1 },
  ]);
  const exact = kinds[0].key;
  // The selection holds on the plain list, and on the page that asks.
  const query = `item=${caseKey}&item:${caseKey}=2&item=${exact}`;
  const plain = await visitor.call(inventoryLoader, `/items?${query}`);
  expect(plain.body.inventory.view.kinds).toMatchObject([{ key: caseKey, available: 3, wear: '' }]);
  const asked = await visitor.call(depositLoader, `/items/deposit?${query}`);
  expect(asked.body).toMatchObject({ error: null, picked: [{ quantity: 2 }, { wear: '0.2', quantity: 1 }] });
  const tooMany = await visitor.call(depositAction, '/items/deposit', {
    form: new URLSearchParams(`${query}&requestId=${newId(Date.now())}`.replace('=2&', '=3&')),
  });
  expect(tooMany.status).toBe(409);
  const form = new URLSearchParams({ requestId: newId(Date.now()), item: exact });
  expect(await visitor.call(depositAction, '/items/deposit', { form })).toMatchObject({ status: 302 });
  const [transfer] = await own();
  const rows = await db.read
    .select()
    .from(transferItems)
    .where(eq(transferItems.transferId, transfer?.id ?? ''));
  expect(rows.map(({ assetId }) => assetId)).toEqual([second?.assetId]);
});

test('A deposit reads the games of its items alone, because readings are shared by all', async () => {
  bot.trouble = { status: 503, code: 'steamUnavailable', appId: 440 };
  const form = picks({ item: caseKey, [`item:${caseKey}`]: '2' });
  expect(await visitor.call(depositAction, '/items/deposit', { form })).toMatchObject({ status: 302 });
  expect(bot.asked.map((path) => path.split('/')[3])).toEqual(['730']);
});

test('Items of a game that cannot be read are not said to be missing', async () => {
  bot.trouble = { status: 503, code: 'steamUnavailable', appId: 440 };
  const both = new URLSearchParams({ requestId: newId(Date.now()), item: caseKey });
  both.append('item', kindKey({ appId: 440, marketHashName: 'Demo hat' }));
  const answer = await visitor.call(depositAction, '/items/deposit', { form: both });
  expect(answer).toMatchObject({ status: 503, body: { error: 'errors.unavailable.steam' } });
  expect(await own()).toEqual([]);
});

test('Submitting a deposit twice creates one transfer', async () => {
  const form = picks({ item: caseKey, [`item:${caseKey}`]: '2' });
  const first = await visitor.call(depositAction, '/items/deposit', { form });
  const second = await visitor.call(depositAction, '/items/deposit', { form });
  expect(second.location).toBe(first.location);
  expect(await own()).toHaveLength(1);
});

test('A deposit whose duplicate was committed after the check is still one deposit', async () => {
  const account = await getAccount(db, { userId: streamer.userId });
  if (!account) throw new Error('the account is not there');
  const request = { requestId: newId(Date.now()), account, picks: [{ key: caseKey, quantity: 2 }] };
  const deposited = { ok: true, transferId: request.requestId };
  // This reader's answer predates the duplicate, but arrives after it.
  const late = async () => {
    expect(await depositPicks(db, request, Date.now())).toEqual(deposited);
    return [];
  };
  const lateReader = { select: () => ({ from: () => ({ where: late }) }) } as unknown as Database['read'];
  const readers = [lateReader];
  const store: Database = Object.defineProperty({ ...db }, 'read', {
    get: () => readers.pop() ?? db.read,
  });
  expect(await depositPicks(store, request, Date.now())).toEqual(deposited);
  expect(await own()).toHaveLength(1);
});

test('Items in an open offer cannot be selected again', async () => {
  await visitor.call(depositAction, '/items/deposit', { form: picks({ item: gloveKey }) });
  const { body } = await visitor.call(inventoryLoader, '/items?q=glove');
  expect(body.inventory.view.kinds).toMatchObject([{ key: gloveKey, available: 0, offReason: 'inOffer' }]);
  const again = await visitor.call(depositAction, '/items/deposit', { form: picks({ item: gloveKey }) });
  expect(again).toMatchObject({ status: 409, body: { error: 'errors.trade.assetMissing' } });
});

test.each([
  ['an invalid request id', { requestId: 'x', item: caseKey }, 400, 'errors.trade.malformed'],
  ['no request id', { requestId: '', item: caseKey }, 400, 'errors.trade.malformed'],
  ['nothing selected', {}, 400, 'errors.trade.nothingPicked'],
  ['an invalid kind', { item: "730-'; drop table" }, 400, 'errors.trade.malformed'],
  ['an unknown kind', { item: '730-AAAAAAAAAAAA' }, 409, 'errors.trade.assetMissing'],
  ['a negative quantity', { item: caseKey, [`item:${caseKey}`]: '-1' }, 400, 'errors.trade.malformed'],
  ['a fractional quantity', { item: caseKey, [`item:${caseKey}`]: '1.5' }, 400, 'errors.trade.malformed'],
  ['a huge quantity', { item: caseKey, [`item:${caseKey}`]: '999999' }, 409, 'errors.trade.assetMissing'],
  [
    'an infinite quantity',
    { item: caseKey, [`item:${caseKey}`]: '9'.repeat(400) },
    400,
    'errors.trade.malformed',
  ],
  [
    'an untradable kind',
    { item: kindKey({ appId: 730, marketHashName: 'Demo coin' }) },
    409,
    'errors.trade.assetMissing',
  ],
])('A deposit with %s is refused, and nothing is written', async (_, fields, status, error) => {
  const answer = await visitor.call(depositAction, '/items/deposit', {
    form: picks(fields as Record<string, string>, newId(Date.now())),
  });
  expect(answer).toMatchObject({ status, body: { error } });
  expect(await own()).toEqual([]);
});

test('A deposit without a trade link, or without a bot, says what is missing', async () => {
  const unready = await addPerson(db, { tradeToken: null });
  bot.inventories.set(unready.steamId, [{ ...asset(), tradable: true }]);
  const other = await visitorOf(unready.userId);
  const answer = await other.call(depositAction, '/items/deposit', { form: picks({ item: caseKey }) });
  expect(answer).toMatchObject({ status: 409, body: { error: 'errors.tradeLink.missing' } });
  bot.trouble = { status: 503, code: 'steamUnavailable' };
  const silent = await visitor.call(depositAction, '/items/deposit', { form: picks({ item: caseKey }) });
  expect(silent).toMatchObject({ status: 503, body: { error: 'errors.unavailable.steam' } });
});

test('Another user’s request id does not lead to their transfer', async () => {
  const form = picks({ item: caseKey });
  await visitor.call(depositAction, '/items/deposit', { form });
  const stranger = await addStreamer(db);
  bot.inventories.set(stranger.steamId, [{ ...asset(), tradable: true }]);
  const answer = await (await visitorOf(stranger.userId)).call(depositAction, '/items/deposit', { form });
  expect(answer).toMatchObject({ status: 409, body: { error: 'errors.trade.assetBusy' } });
});

test('Custody is listed with quantities, and filtered by the URL', async () => {
  await deposit(db, streamer, [asset(), asset()], Date.now() - 8 * day);
  await deposit(db, streamer, [asset('Demo glove')], Date.now());
  const { body } = await visitor.call(custodyLoader, '/items/custody');
  expect(body.custody.rows).toMatchObject([
    { key: caseKey, available: 2 },
    { key: gloveKey, available: 0, inCooldown: 1 },
  ]);
  const filtered = await visitor.call(custodyLoader, '/items/custody?state=inCooldown&q=%00glove&after=%%%');
  expect(filtered.body.custody.rows).toMatchObject([{ key: gloveKey }]);
});

test('A return lists its items, sends exactly those, and only once', async () => {
  await deposit(db, streamer, [asset(), asset(), asset()], Date.now() - 8 * day);
  const confirm = await visitor.call(returnLoader, `/items/return?item=${caseKey}&item:${caseKey}=2`);
  expect(confirm.body).toMatchObject({ error: null, picked: [{ name: 'Demo case', quantity: 2 }] });
  const form = picks({ item: caseKey, [`item:${caseKey}`]: '2' });
  const first = await visitor.call(returnAction, '/items/return', { form });
  expect(first).toMatchObject({ status: 302, toast: 'items.return.done' });
  const second = await visitor.call(returnAction, '/items/return', { form });
  expect(second.location).toBe(first.location);
  const returns = (await own()).filter(({ kind }) => kind === 'return');
  expect(returns).toMatchObject([{ items: [{ quantity: 2 }] }]);
});

test.each([
  ['more than there is', { item: caseKey, [`item:${caseKey}`]: '2' }, 409, 'errors.trade.itemUnavailable'],
  ['a locked item', { item: gloveKey }, 409, 'errors.trade.itemUnavailable'],
  ['an unknown item', { item: '440-AAAAAAAAAAAA' }, 409, 'errors.trade.itemUnavailable'],
  ['nothing', {}, 400, 'errors.trade.nothingPicked'],
  ['a negative quantity', { item: caseKey, [`item:${caseKey}`]: '-5' }, 400, 'errors.trade.malformed'],
])('A return of %s is refused, and nothing moves', async (_, fields, status, error) => {
  await deposit(db, streamer, [asset()], Date.now() - 8 * day);
  await deposit(db, streamer, [asset('Demo glove')], Date.now());
  const answer = await visitor.call(returnAction, '/items/return', {
    form: picks(fields as Record<string, string>),
  });
  expect(answer).toMatchObject({ status, body: { error } });
  expect((await own()).filter(({ kind }) => kind === 'return')).toEqual([]);
});

test("Nobody can return another streamer's items", async () => {
  await deposit(db, streamer, [asset()], Date.now() - 8 * day);
  const stranger = await visitorOf((await addStreamer(db)).userId);
  const confirm = await stranger.call(returnLoader, `/items/return?item=${caseKey}`);
  expect(confirm.body.picked).toEqual([]);
  const answer = await stranger.call(returnAction, '/items/return', { form: picks({ item: caseKey }) });
  expect(answer.status).toBe(409);
  expect((await own()).every(({ kind }) => kind === 'deposit')).toBe(true);
});
