import { beforeEach, expect, test } from 'vitest';
import { config } from '#app/config.server.ts';
import { database } from '#app/services/database.server.ts';
import { recordBotAway } from '#platform/bot-away.ts';
import { addStreamer, type Person } from '#tests/support/fixtures.ts';
import { readerOf, wordsOf } from './support/site.ts';
import { setWeb } from './support/web.ts';

await setWeb();

let streamer: Person;
let nextStart: string;
beforeEach(async () => {
  streamer = await addStreamer(await database());
  const endedAtMs = Date.now();
  const nextStartAtMs = endedAtMs + 64_000;
  nextStart = new Date(nextStartAtMs).toISOString().slice(11, 19);
  recordBotAway(config().dataFolder, {
    failures: 7,
    endedAtMs,
    nextStartAtMs,
    reason: 'bot ended (exit code 1); the database is away',
  });
});

const wordsAt = async (path: string, language: 'en' | 'ru' = 'en') =>
  wordsOf((await (await readerOf(streamer.userId, language)).open(path)).html).replace(/\s+/g, ' ');

test.each([
  '/dashboard',
  '/profile',
  '/items',
  '/items/custody',
  '/rules',
  '/channel',
  '/browseChannels',
  '/rewardProgress',
  '/transfers',
])('The page %s says that the bot keeps failing, and when it is started again', async (path) => {
  expect(await wordsAt(path)).toMatch(
    new RegExp(`The bot process keeps failing.*It is started again at ${nextStart}`),
  );
  expect(await wordsAt(path, 'ru')).toMatch(
    new RegExp(`Процесс бота раз за разом.*Следующий запуск: ${nextStart}`),
  );
  recordBotAway(config().dataFolder, null);
  expect(await wordsAt(path)).not.toContain('keeps failing');
});

test('Pages that do not need the bot say nothing of it, and its reason is the operator’s business', async () => {
  expect(await wordsAt('/settings')).not.toContain('keeps failing');
  expect(await wordsAt('/items')).not.toContain('exit code 1');
});
