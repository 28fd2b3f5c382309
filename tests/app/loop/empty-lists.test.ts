import { expect, test } from 'vitest';
import { database } from '#app/services/database.server.ts';
import { addBot, addStreamer, asset, deposit } from '#tests/support/fixtures.ts';
import { readerOf } from '../support/site.ts';
import { setWeb } from '../support/web.ts';

// Nothing listens on this port: these pages do not need the bot.
await setWeb({ BOT_URL: 'http://127.0.0.1:9' });

const filters = 'role="search"';

test.each([
  ['/transfers', '?phase=ended'],
  ['/rewardHistory', '?status=delivered'],
  ['/rules/who-got-what', '?q=case'],
  ['/browseChannels', '?q=nobody'],
])('An empty list at %s has no filters above it, unless one of them emptied it', async (path, filtered) => {
  const reader = await readerOf((await addStreamer(await database())).userId);
  expect((await reader.open(path)).html).not.toContain(filters);
  expect((await reader.open(path + filtered)).html).toContain(filters);
});

test('A list with something in it can be filtered', async () => {
  const db = await database();
  await addBot(db);
  const owner = await addStreamer(db);
  await deposit(db, owner, [asset()]);
  expect((await (await readerOf(owner.userId)).open('/transfers')).html).toContain(filters);
});
