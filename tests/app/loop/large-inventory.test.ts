import { afterAll, beforeEach, expect, test } from 'vitest';
import { action as depositAction } from '#app/routes/items/deposit.tsx';
import { database } from '#app/services/database.server.ts';
import { kindKey } from '#app/services/items/picks.server.ts';
import { newId } from '#domain/kernel/id.ts';
import { addBot, addStreamer, asset, type Person } from '#tests/support/fixtures.ts';
import { startFakeBot } from '../support/fake-bot.ts';
import { visitorOf } from '../support/signed-in.ts';
import { readerOf, wordsOf } from '../support/site.ts';
import { setWeb } from '../support/web.ts';

const bot = await startFakeBot();
await setWeb({ BOT_URL: bot.url });
afterAll(() => bot.stop());

let streamer: Person;

beforeEach(async () => {
  const db = await database();
  await addBot(db);
  streamer = await addStreamer(db);
  bot.inventories.set(streamer.steamId, [{ ...asset(), tradable: true }]);
  bot.part = { total: 12_000, isReading: true };
});

const textIn = async (language: 'en' | 'ru') => {
  const page = await (await readerOf(streamer.userId, language)).open('/items');
  return { html: page.html, words: wordsOf(page.html).replace(/\s+/g, ' ') };
};

test('While a large inventory is read its first pages can be picked from, and the page shows how far it is', async () => {
  const { html, words } = await textIn('en');
  expect(words).toContain('Counter-Strike 2: 1 of 12,000 read');
  expect(words).toContain('Demo case');
  expect(html).toMatch(/<progress class="meter" value="1" max="12000"/);
  expect((await textIn('ru')).words).toContain('Counter-Strike 2: прочитано 1 из 12 000');
  bot.part = { total: null, isReading: true };
  expect((await textIn('en')).words).toContain('Counter-Strike 2: 1 read');
});

test('After a page of an inventory failed those before it are listed, and the page says that more follow', async () => {
  bot.part = { total: 12_000, isReading: false };
  const { html, words } = await textIn('en');
  expect(words).toContain('Counter-Strike 2: Steam stopped after 1 item.');
  expect(html).not.toContain('<progress');
  expect((await textIn('ru')).words).toContain('Steam показал только 1 предмет');
});

test('A deposit of items on a page that is not read yet may be asked for again', async () => {
  const visitor = await visitorOf(streamer.userId);
  const deposit = (marketHashName: string) =>
    visitor.call(depositAction, '/items/deposit', {
      form: { requestId: newId(Date.now()), item: kindKey({ appId: 730, marketHashName }) },
    });
  const unread = await deposit('Demo glove');
  expect(unread).toMatchObject({ status: 503, body: { error: 'errors.trade.inventoryIncomplete' } });
  expect(await deposit('Demo case')).toMatchObject({ status: 302, toast: 'items.deposit.done' });
});
