import { afterAll, beforeEach, expect, test } from 'vitest';
import { action as depositAction } from '#app/routes/items/deposit.tsx';
import { loader as inventoryLoader } from '#app/routes/items/inventory.tsx';
import { database } from '#app/services/database.server.ts';
import { kindKey } from '#app/services/items/picks.server.ts';
import type { Database } from '#db/database.ts';
import { newId } from '#domain/kernel/id.ts';
import { addBot, addStreamer, asset, deposit, type Person } from '#tests/support/fixtures.ts';
import { startFakeBot } from '../support/fake-bot.ts';
import { visitorOf } from '../support/signed-in.ts';
import { readerOf, wordsOf } from '../support/site.ts';
import { setWeb } from '../support/web.ts';

const bot = await startFakeBot();
await setWeb({ BOT_URL: bot.url });
afterAll(() => bot.stop());

let db: Database;
let streamer: Person;
const gems = (amount: number, classId: string) =>
  asset('753-Gems', {
    appId: 753,
    contextId: '6',
    classId,
    typeTag: 'item_class_7',
    name: `Gems × ${amount}`,
    traits: `× ${amount}`,
    amount,
  });
const keyOf = (amount: number) => kindKey({ appId: 753, marketHashName: '753-Gems', traits: `× ${amount}` });

/** Streamers with stacks of a class of their own, so that those of one test take nothing from another's. */
let classId: string;
beforeEach(async () => {
  db = await database();
  await addBot(db);
  streamer = await addStreamer(db);
  classId = newId(Date.now());
  bot.inventories.set(streamer.steamId, [
    { ...gems(500, classId), tradable: true },
    { ...gems(300, classId), tradable: true },
  ]);
});

const page = '/items?game=753';
const ask = async (amount: number) =>
  (await visitorOf(streamer.userId)).call(depositAction, '/items/deposit', {
    form: { requestId: newId(Date.now()), item: keyOf(amount) },
  });

test('Stacks of different amounts are kinds of their own, named by their amounts alone', async () => {
  const visitor = await visitorOf(streamer.userId);
  const { body } = await visitor.call(inventoryLoader, page);
  expect(body.inventory.view.kinds).toMatchObject([
    { key: keyOf(300), name: 'Gems × 300', available: 1, offReason: null },
    { key: keyOf(500), name: 'Gems × 500', available: 1, offReason: null },
  ]);
  const words = wordsOf((await (await readerOf(streamer.userId)).open(page)).html);
  expect(words).toContain('Gems × 500');
  expect(words).not.toContain('× 500 ·');
});

test('While every bot has a stack of the class, the picker says so instead of offering another', async () => {
  for (let other = 0; other < 3; other++) await addBot(db);
  const { length: free } = await takeAll();
  expect(free).toBeGreaterThan(0);
  const visitor = await visitorOf(streamer.userId);
  const { body } = await visitor.call(inventoryLoader, page);
  expect(body.inventory.view.kinds).toMatchObject([
    { key: keyOf(300), available: 0, offReason: 'stack' },
    { key: keyOf(500), available: 0, offReason: 'stack' },
  ]);
  const text = { en: 'Every bot already holds one', ru: 'Уже есть у всех ботов' } as const;
  for (const language of ['en', 'ru'] as const) {
    const reader = await readerOf(streamer.userId, language);
    expect(wordsOf((await reader.open(page)).html)).toContain(text[language]);
  }
  const refused = await ask(500);
  expect(refused).toMatchObject({ status: 409, body: { error: 'errors.trade.noStackRoom' } });
});

/** Has every bot hold a stack of the class. */
async function takeAll(): Promise<string[]> {
  const taken: string[] = [];
  for (;;) {
    try {
      taken.push(await deposit(db, await addStreamer(db), [gems(40, classId)], Date.now()));
    } catch {
      return taken;
    }
  }
}
