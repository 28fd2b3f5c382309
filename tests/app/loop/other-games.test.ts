import { afterAll, beforeEach, expect, test } from 'vitest';
import { action as depositAction } from '#app/routes/items/deposit.tsx';
import { loader as inventoryLoader } from '#app/routes/items/inventory.tsx';
import { database } from '#app/services/database.server.ts';
import { games } from '#app/services/items/inventory.server.ts';
import { kindKey } from '#app/services/items/picks.server.ts';
import { games as gamesOfBot } from '#bot/steam/games.ts';
import { newId } from '#domain/kernel/id.ts';
import { addBot, addStreamer, asset, type Person } from '#tests/support/fixtures.ts';
import { startFakeBot } from '../support/fake-bot.ts';
import { visitorOf } from '../support/signed-in.ts';
import { readerOf, wordsOf } from '../support/site.ts';
import { setWeb } from '../support/web.ts';

const RUST = 252490;
const bot = await startFakeBot();
await setWeb({ BOT_URL: bot.url });
afterAll(() => bot.stop());

let streamer: Person;
const hoodie = kindKey({ appId: RUST, marketHashName: 'Demo hoodie' });

beforeEach(async () => {
  const db = await database();
  await addBot(db);
  streamer = await addStreamer(db);
  bot.asked.length = 0;
  bot.trouble = null;
  bot.inventories.set(streamer.steamId, [
    { ...asset(), tradable: true },
    { ...asset('Demo hoodie', { appId: RUST }), tradable: true },
  ]);
});

const readGames = () => bot.asked.flatMap((path) => /^\/inventories\/\d+\/(\d+\/\d+)/.exec(path)?.[1] ?? []);

test('Web and bot know the same games, in the same contexts', () => {
  const facts = ({ appId, name, contextId }: { appId: number; name: string; contextId: string }) =>
    `${appId} ${name} ${contextId}`;
  expect(games.map(facts)).toEqual(gamesOfBot.map(facts));
});

test('Games that few streamers have are read when they are chosen, or something of them is picked', async () => {
  const visitor = await visitorOf(streamer.userId);
  const plain = await visitor.call(inventoryLoader, '/items');
  expect(readGames().toSorted()).toEqual(['440/2', '730/2']);
  expect(plain.body.inventory.view.totalPieces).toBe(1);
  const chosen = await visitor.call(inventoryLoader, `/items?game=${RUST}`);
  expect(chosen.body.inventory.view.kinds).toMatchObject([{ key: hoodie, available: 1 }]);
  const picked = await visitor.call(inventoryLoader, `/items?game=730&item=${hoodie}`);
  expect(picked.body.inventory.view.picked).toMatchObject([{ key: hoodie }]);
  bot.asked.length = 0;
  await visitor.call(inventoryLoader, '/items?game=753');
  expect(readGames()).toContain('753/6');
});

test('The page leads to the games that are read on request, also from an empty inventory', async () => {
  const reader = await readerOf(streamer.userId);
  expect((await reader.open('/items')).html).toContain(`href="/items?game=${RUST}"`);
  bot.inventories.set(streamer.steamId, []);
  const empty = await reader.open('/items');
  expect(wordsOf(empty.html)).toContain('Other games are read when you choose them');
  expect(empty.html).toContain('href="/items?game=753"');
});

test('What is picked of such a game is deposited', async () => {
  const visitor = await visitorOf(streamer.userId);
  const answer = await visitor.call(depositAction, '/items/deposit', {
    form: { requestId: newId(Date.now()), item: hoodie },
  });
  expect(answer).toMatchObject({ status: 302, toast: 'items.deposit.done' });
});

test.each([
  ['unreachable', 'errors.unavailable.bot'],
  ['steamBusy', 'errors.trade.inventoryBusy'],
  ['late', 'errors.unavailable.steam'],
])('A deposit of two games, one of which is refused with %s, names that cause', async (code, error) => {
  bot.trouble = { status: 503, code, appId: RUST };
  const visitor = await visitorOf(streamer.userId);
  const form = new URLSearchParams({ requestId: newId(Date.now()), item: hoodie });
  form.append('item', kindKey({ appId: 730, marketHashName: 'Demo case' }));
  expect(await visitor.call(depositAction, '/items/deposit', { form })).toMatchObject({
    status: 503,
    body: { error },
  });
});
