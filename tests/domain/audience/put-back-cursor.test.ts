import { beforeEach, expect, test } from 'vitest';
import { watchGaps } from '#db/schema/channel.ts';
import { putBackCursor } from '#domain/audience/put-back-cursor.ts';
import { MAX_INTERVAL_MS } from '#domain/audience/take-intervals.ts';
import { minute, second } from '#domain/kernel/time.ts';
import { openTestDatabase, type TestDatabase } from '#tests/support/database.ts';
import { addRule, addStreamer, START_MS } from '#tests/support/fixtures.ts';
import { goLive, goOff, readChatters } from '#tests/support/stream.ts';
import { watchedRows } from '#tests/support/watched.ts';

let db: TestDatabase;
let channelId: string;

beforeEach(async () => {
  db = await openTestDatabase();
  const streamer = await addStreamer(db);
  channelId = streamer.twitchId;
  await addRule(db, streamer, { rewards: 0 });
  await goLive(db, channelId);
});

const read = (afterMs: number) => readChatters(db, channelId, ['1'], START_MS + afterMs);
const putBack = (fromAfterMs: number, byMs: number, nowAfterMs: number) =>
  putBackCursor(db, { channelId, fromMs: START_MS + fromAfterMs, byMs }, START_MS + nowAfterMs);
const secondsWatched = async () => (await watchedRows(db.read))[0]?.seconds;

test('After a step back, unread time and the time after it count once', async () => {
  await read(2 * minute);
  // At 2:30 the clock is put back to 1:00.
  await putBack(2 * minute, 90 * second, minute);
  await read(minute);
  await read(2 * minute);
  expect(await secondsWatched()).toBe(120 + 30 + 60);
});

test('Two processes that notice the same step put the cursor back once', async () => {
  await read(2 * minute);
  await putBack(2 * minute, minute, minute);
  await putBack(2 * minute, minute, minute);
  await read(2 * minute);
  expect(await secondsWatched()).toBe(120 + 60);
});

test('The unread end of a stream that ended before the step still counts', async () => {
  await read(2 * minute);
  await goOff(db, channelId, START_MS + 150 * second);
  await putBack(2 * minute, 100 * second, 50 * second);
  await read(minute);
  expect(await secondsWatched()).toBe(120 + 30);
});

test('Gaps of a clock that was far ahead end now, and those of the last minutes stay', async () => {
  await read(minute);
  await read(minute + MAX_INTERVAL_MS + minute);
  const aheadMs = minute + MAX_INTERVAL_MS + minute;
  await putBack(aheadMs, minute, aheadMs - minute);
  const gap = { channelId, fromMs: START_MS + minute, reason: 'notPolled' };
  const gaps = () => db.read.select().from(watchGaps);
  expect(await gaps()).toEqual([{ ...gap, untilMs: START_MS + aheadMs }]);
  await putBack(aheadMs - minute, MAX_INTERVAL_MS + second, 90 * second);
  expect(await gaps()).toEqual([{ ...gap, untilMs: START_MS + 90 * second }]);
});
