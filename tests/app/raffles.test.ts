import { beforeEach, expect, test } from 'vitest';
import { database } from '#app/services/database.server.ts';
import { kindKey } from '#app/services/items/picks.server.ts';
import type { Database } from '#db/database.ts';
import { newId } from '#domain/kernel/id.ts';
import { minute } from '#domain/kernel/time.ts';
import { addBot, addStreamer, type Person } from '#tests/support/fixtures.ts';
import { addRaffle, drawRaffle, enter, raffleOf, stock } from '#tests/support/raffles.ts';
import { type Reader, readerOf, wordsOf } from './support/site.ts';
import { setWeb } from './support/web.ts';

// Nothing listens on this port: these pages do not need the bot.
await setWeb({ BOT_URL: 'http://127.0.0.1:9' });

let db: Database;
let streamer: Person;
let reader: Reader;
beforeEach(async () => {
  db = await database();
  await addBot(db);
  streamer = await addStreamer(db);
  reader = await readerOf(streamer.userId);
});

const prepare = async (requestId: string, more: Record<string, string> = {}) => {
  const kind = kindKey({ appId: 730, marketHashName: 'Demo case', traits: '' } as never);
  const form = { act: 'prepare', requestId, keyword: 'redline', kind, winners: '1', minutes: '5' };
  return wordsOf((await reader.open('/raffles', { ...form, winnersOutDays: '0', ...more })).html);
};

test('Submitting the same raffle twice prepares it once, also with the last item', async () => {
  await stock(db, streamer, 1, Date.now());
  const requestId = newId(Date.now());
  for (let times = 0; times < 2; times++)
    expect(await prepare(requestId)).toContain('The raffle is prepared.');
  expect(await prepare(newId(Date.now()))).toContain('There are not enough free items.');
  expect((await raffleOf(db, requestId)).state).toBe('prepared');
});

test('What was never counted on the channel is named as the reason', async () => {
  await stock(db, streamer, 1, Date.now());
  expect(await prepare(newId(Date.now()), { watchHours: '2' })).toContain('Nobody could enter');
});

test('A cancellation asks first, without a script', async () => {
  await stock(db, streamer, 1, Date.now());
  const raffleId = newId(Date.now());
  await prepare(raffleId);
  const asked = await reader.open('/raffles', { act: 'cancel', raffleId });
  expect(asked.path).toBe(`/raffles?cancel=${raffleId}`);
  expect(wordsOf(asked.html)).toContain('Nobody wins, and the items are yours again.');
  expect((await raffleOf(db, raffleId)).state).toBe('prepared');
  const done = await reader.open('/raffles', { act: 'cancel', raffleId, sure: 'on' });
  expect(wordsOf(done.html)).toContain('The raffle is cancelled');
  expect((await raffleOf(db, raffleId)).state).toBe('cancelled');
});

test('Past raffles are listed with their public pages, and what was only prepared is not', async () => {
  const startMs = Date.now() - 20 * minute;
  const raffleId = await addRaffle(db, streamer, {}, startMs);
  const { twitchId: channelId } = streamer;
  await enter(db, raffleId, { channelId, twitchIds: ['900001'], nowMs: startMs });
  const running = (await reader.open('/raffles')).html;
  expect(wordsOf(running)).not.toContain('Past raffles');
  await drawRaffle(db, startMs + 5 * minute);
  await stock(db, streamer, 1, Date.now());
  const preparedId = newId(Date.now());
  await prepare(preparedId);
  const { html } = await reader.open('/raffles');
  expect(wordsOf(html)).toContain('Past raffles');
  expect(html).toContain(`href="/raffle/${raffleId}"`);
  expect(html).not.toContain(`href="/raffle/${preparedId}"`);
});
