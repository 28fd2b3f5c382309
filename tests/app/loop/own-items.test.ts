import { beforeEach, expect, test } from 'vitest';
import { database } from '#app/services/database.server.ts';
import type { Database } from '#db/database.ts';
import { advanceItem } from '#domain/item/advance-item.ts';
import { newId } from '#domain/kernel/id.ts';
import { day, minute } from '#domain/kernel/time.ts';
import { requestDeposit } from '#domain/transfer/request-deposit.ts';
import { addBot, addStreamer, asset, deposit, type Person, sendQueued } from '#tests/support/fixtures.ts';
import { itemsOf } from '#tests/support/looking.ts';
import { readerOf, wordsOf } from '../support/site.ts';
import { setWeb } from '../support/web.ts';

// Nothing listens on this port: these pages do not need the bot.
await setWeb({ BOT_URL: 'http://127.0.0.1:9' });

let db: Database;
let owner: Person;
beforeEach(async () => {
  db = await database();
  await addBot(db);
  owner = await addStreamer(db);
});

const read = async (path: string, language: 'en' | 'ru' = 'en') =>
  wordsOf((await (await readerOf(owner.userId, language)).open(path)).html);

test('The owner sees which items are missing, and that they are looked for', async () => {
  const atMs = Date.now() - 8 * day;
  await deposit(db, owner, [asset(), asset(), asset('Demo glove')], atMs);
  expect(await read('/items/custody')).not.toMatch(/\d missing/);
  const lost = (await itemsOf(db, owner.userId)).find(({ marketHashName }) => marketHashName === 'Demo case');
  await db.transaction((tx) =>
    advanceItem(tx, lost?.id ?? '', { event: 'lost', cause: 'reconciliation' }, Date.now()),
  );
  expect(await read('/items/custody')).toMatch(/Missing 1 not in the bot’s inventory, but still yours/);
  const filtered = await read('/items/custody?state=missing');
  expect(filtered).toContain('1 missing; we check every hour');
  expect(filtered).not.toContain('Demo glove');
  expect(await read('/items/custody?state=missing', 'ru')).toContain('не найдено: 1; проверяем каждый час');
});

test.each([
  [0, 'in 30 min'],
  [19.5, 'in 11 min'],
  [29.5, 'in 1 min'],
])('A deposit that was sent %s min ago says how long its offer still waits', async (minutes, left) => {
  const atMs = Date.now() - minutes * minute;
  const requestId = newId(atMs);
  await requestDeposit(db, { requestId, userId: owner.userId, assets: [asset()] }, atMs, Date.now());
  await sendQueued(db, atMs);
  expect(await read(`/transfers?open=${requestId}`)).toMatch(
    new RegExp(`If you have not accepted the offer ${left}, at \\d\\d?:\\d\\d`),
  );
});
