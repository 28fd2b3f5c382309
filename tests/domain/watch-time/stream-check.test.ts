import { afterEach, beforeEach, expect, test } from 'vitest';
import { day, minute } from '#domain/kernel/time.ts';
import { getStreamCheck } from '#domain/watch-time/get-stream-check.ts';
import { recordStream } from '#domain/watch-time/record-stream.ts';
import { openTestDatabase, type TestDatabase } from '#tests/support/database.ts';
import { addStreamer, START_MS } from '#tests/support/fixtures.ts';
import { goOff, readChatters } from '#tests/support/stream.ts';

let db: TestDatabase;
let channelId: string;
beforeEach(async () => {
  db = await openTestDatabase();
  channelId = (await addStreamer(db)).twitchId;
});
afterEach(() => db.close());

const at = (minutes: number) => START_MS + minutes * minute;
const poll = (minutes: number, viewers?: number, streamId = 's1', startedAtMs = START_MS) =>
  recordStream(
    db,
    {
      channelId,
      stream: {
        streamId,
        startedAtMs,
        gameName: 'Demo',
        title: '',
        ...(viewers !== undefined && { viewers }),
      },
    },
    at(minutes),
  );
const ids = (count: number) => Array.from({ length: count }, (_, place) => `${9000 + place}`);
const look = (minutes: number, people: number, facts: Parameters<typeof readChatters>[4] = {}) =>
  readChatters(db, channelId, ids(people), at(minutes), facts);
const check = (minutes: number) => getStreamCheck(db, channelId, at(minutes));

test('The first stream is checked: Twitch’s viewers, who is in chat, who is not, and the bots left out', async () => {
  expect(await check(0)).toBeNull();
  await poll(0, 52);
  expect(await check(0)).toBeNull();
  const uncounted = { bot: ['1', '2', '3'], excluded: ['4'], watchedElsewhere: ['5', '6'] };
  await look(1, 38, { uncounted });
  const found = { people: 41, bots: 3, viewers: 52, outsideChat: 11, isFirst: true };
  expect(await check(1)).toEqual({ live: true, lookedAtMs: at(1), ...found });
  await goOff(db, channelId, at(2));
  expect(await check(60)).toMatchObject({ live: false, lookedAtMs: at(1), ...found });
});

test('A number that Twitch does not tell, or told at another time, is not compared', async () => {
  await poll(0);
  await look(1, 2);
  expect(await check(1)).toMatchObject({ people: 2, bots: 0, viewers: null, outsideChat: null });
  await poll(2, 9);
  await look(2, 2);
  expect(await check(2)).toMatchObject({ viewers: 9, outsideChat: 7 });
  for (let minutes = 3; minutes <= 8; minutes += 1) await look(minutes, 3);
  expect(await check(8)).toMatchObject({ people: 3, viewers: null, outsideChat: null });
});

test('More people in chat than Twitch has viewers leave nobody outside it', async () => {
  await poll(0, 3);
  await look(1, 4);
  expect(await check(1)).toMatchObject({ people: 4, viewers: 3, outsideChat: null });
  await poll(2, 0);
  await look(2, 0);
  expect(await check(2)).toMatchObject({ people: 0, viewers: 0, outsideChat: null });
});

test('A look that did not count tells nothing, and the last one that did stays', async () => {
  await poll(0, 5);
  await look(1, 4);
  await look(4, 1, { gapReason: 'twitchUnavailable' });
  expect(await check(4)).toMatchObject({ lookedAtMs: at(1), people: 4 });
});

test('A second stream is checked anew, and the first counts as such for a week', async () => {
  await poll(0, 5);
  await look(1, 4);
  await goOff(db, channelId, at(2));
  expect(await getStreamCheck(db, channelId, at(1) + 7 * day - 1)).toMatchObject({ isFirst: true });
  expect(await getStreamCheck(db, channelId, at(1) + 7 * day)).toMatchObject({ isFirst: false });
  await poll(120, undefined, 's2', at(120));
  expect(await check(120)).toBeNull();
  await look(121, 2, { streamId: 's2' });
  expect(await check(121)).toMatchObject({ people: 2, viewers: null, isFirst: false });
});
