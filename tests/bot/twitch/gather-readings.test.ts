import { pino } from 'pino';
import { afterEach, expect, test, vi } from 'vitest';
import { gatherReadings } from '#bot/twitch/channel/gather-readings.ts';
import { minute, second } from '#domain/kernel/time.ts';
import { openTestDatabase, type TestDatabase } from '#tests/support/database.ts';
import { addRule, addStreamer, START_MS } from '#tests/support/fixtures.ts';
import { goLive } from '#tests/support/stream.ts';
import { watchedRows } from '#tests/support/watched.ts';

const TOGETHER = 3;
const NOW_MS = START_MS + minute;

afterEach(() => {
  vi.useRealTimers();
});

/** Live channels of a bot that credits three readings at once, and what its transactions were. */
async function setChannels(db: TestDatabase, amount: number) {
  const channelIds: string[] = [];
  for (let n = 0; n < amount; n++) {
    const streamer = await addStreamer(db);
    await addRule(db, streamer, { rewards: 0 });
    await goLive(db, streamer.twitchId);
    channelIds.push(streamer.twitchId);
  }
  const seen = { transactions: 0, failing: 0 };
  const transaction: typeof db.transaction = (...given) => {
    seen.transactions += 1;
    return seen.transactions <= seen.failing
      ? Promise.reject(new Error('no row can be written'))
      : db.transaction(...given);
  };
  const gathered = gatherReadings({ db: { ...db, transaction }, log: pino({ level: 'silent' }) }, TOGETHER);
  gathered.limitTo(new Set(channelIds));
  const credit = (channelId: string) =>
    gathered.credit({ channelId, streamId: 's1', twitchIds: new Set(['77']) }, NOW_MS);
  return { channelIds, gathered, credit, seen };
}

const secondsIn = async (db: TestDatabase) =>
  Object.fromEntries((await watchedRows(db.read)).map(({ channelId, seconds }) => [channelId, seconds]));
const allOf = (channelIds: readonly string[]) => Object.fromEntries(channelIds.map((id) => [id, 60]));

test('Readings of many channels are credited together, the last ones after a second', async () => {
  await using db = await openTestDatabase();
  const { channelIds, credit, seen } = await setChannels(db, 5);
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const credited = channelIds.map(credit);
  await Promise.all(credited.slice(0, TOGETHER));
  expect([seen.transactions, Object.keys(await secondsIn(db)).length]).toEqual([1, TOGETHER]);
  vi.advanceTimersByTime(second);
  expect(await Promise.all(credited)).toEqual(Array(5).fill({ seconds: 60, qualified: 0 }));
  expect(seen.transactions).toBe(2);
  expect(await secondsIn(db)).toEqual(allOf(channelIds));
});

test('Of few channels each reading is credited at once, and of many those that wait when the bot stops', async () => {
  await using db = await openTestDatabase();
  const { channelIds, credit, gathered, seen } = await setChannels(db, 4);
  const [first, ...others] = channelIds as [string, ...string[]];
  const waiting = [first, others[0]!].map(credit);
  gathered.hurry();
  await Promise.all(waiting);
  expect(seen.transactions).toBe(1);
  gathered.limitTo(new Set(channelIds.slice(0, TOGETHER)));
  await Promise.all(others.slice(1).map(credit));
  expect(seen.transactions).toBe(3);
  expect(await secondsIn(db)).toEqual(allOf(channelIds));
});

test('Readings that could not be credited together are credited one by one', async () => {
  await using db = await openTestDatabase();
  const { channelIds, credit, seen } = await setChannels(db, 4);
  seen.failing = 2;
  const [failed, ...others] = channelIds.slice(0, TOGETHER).map(credit);
  await expect(failed).rejects.toThrow('no row can be written');
  await Promise.all(others);
  expect(await secondsIn(db)).toEqual(allOf(channelIds.slice(1, TOGETHER)));
});
