import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Counted, CountedChannels } from '#app/services/channels/counted-channels.server.ts';
import { database } from '#app/services/database.server.ts';
import type { Database } from '#db/database.ts';
import { minute } from '#domain/kernel/time.ts';
import { listCounted } from '#domain/watch-time/list-counted.ts';
import { recordStream } from '#domain/watch-time/record-stream.ts';
import { watchedSeconds } from '#domain/watch-time/watched-seconds.ts';
import { addBot, addPerson, addRule, addStreamer, type Person, START_MS } from '#tests/support/fixtures.ts';
import { goLive, readChatters } from '#tests/support/stream.ts';
import { setWeb } from './support/web.ts';

await setWeb();

let db: Database;
let viewer: Person;
let channelId: string;
let otherId: string;
const stops: (() => void)[] = [];
beforeEach(async () => {
  db = await database();
  viewer = await addPerson(db);
  channelId = (await addStreamer(db)).twitchId;
  otherId = (await addStreamer(db)).twitchId;
  for (const id of [channelId, otherId]) await goLive(db, id);
});
afterEach(() => {
  for (const stop of stops.splice(0)) stop();
});

/** The reports to one page. The first round of a poll only learns the channels' states. */
function listener(counted: CountedChannels, ids: readonly string[], { userId } = viewer): Counted[] {
  const reported: Counted[] = [];
  const page = { userId, notify: (each: Counted) => reported.push(each), flip: () => {} };
  stops.push(counted.listen(page, ids));
  return reported;
}

let nowMs = START_MS;
const count = (id: string, present: readonly Person[] = []) => {
  nowMs += minute;
  const here = present.map(({ twitchId }) => twitchId);
  return readChatters(db, id, here, nowMs);
};
const countUntil = (isEnough: () => boolean, id = channelId, present: readonly Person[] = []) =>
  expect
    .poll(async () => {
      await count(id, present);
      return isEnough();
    })
    .toBe(true);

test('A page is told when watch time was counted on a channel that it shows, and of no other', async () => {
  const counted = new CountedChannels(database, 5);
  const [reported, elsewhere] = [listener(counted, [channelId]), listener(counted, [otherId])];
  await countUntil(() => reported.length > 0);
  expect(new Set(reported.map((each) => each.channelId))).toEqual(new Set([channelId]));
  expect(elsewhere).toEqual([]);
});

test('Each page is told the time of its own viewer, and whether they were there', async () => {
  const counted = new CountedChannels(database, 5);
  const absent = await addPerson(db);
  await count(channelId, [viewer]);
  const [reported, reportedAbsent] = [listener(counted, [channelId]), listener(counted, [channelId], absent)];
  await countUntil(() => reported.length > 1 && reportedAbsent.length > 1, channelId, [viewer]);
  const { seconds } = reported.at(-1) ?? {};
  expect(seconds).toBeGreaterThan(reported.at(-2)?.seconds ?? 0);
  const total = () => watchedSeconds(db, { channelId, twitchId: viewer.twitchId });
  await expect.poll(async () => reported.at(-1)?.seconds === (await total())).toBe(true);
  expect(reportedAbsent.map((each) => each.seconds)).toEqual(reportedAbsent.map(() => 0));
});

test('Each look tells whether the running stream is attended by now', async () => {
  const counted = new CountedChannels(database, 5);
  const streamer = await addStreamer(db);
  await addRule(db, streamer, { watchMinutes: null, attendedStreams: 2, rewards: 0 });
  await goLive(db, streamer.twitchId, nowMs);
  const reported = listener(counted, [streamer.twitchId]);
  await countUntil(() => (reported.at(-1)?.seconds ?? 0) > 900, streamer.twitchId, [viewer]);
  for (const { seconds, attended } of reported) expect(attended, `${seconds}`).toBe(seconds >= 600);
});

test('A page is told when a channel that it shows goes live or offline, and of no other', async () => {
  const counted = new CountedChannels(database, 5);
  const flipped: string[] = [];
  const page = { userId: viewer.userId, notify: () => {}, flip: (id: string) => flipped.push(id) };
  stops.push(counted.listen(page, [channelId]));
  let live = true;
  const flip = async () => {
    live = !live;
    nowMs += minute;
    for (const id of [channelId, otherId])
      if (live) await goLive(db, id, nowMs);
      else await recordStream(db, { channelId: id, stream: null }, nowMs);
    return flipped.length;
  };
  await expect.poll(flip).toBeGreaterThan(1);
  expect(new Set(flipped)).toEqual(new Set([channelId]));
});

test('A page is told the live rules of the channel and their free rewards', async () => {
  const counted = new CountedChannels(database, 5);
  const streamer = await addStreamer(db);
  await addBot(db);
  const ruleId = await addRule(db, streamer, { watchMinutes: 600, rewards: 3 });
  await addRule(db, await addStreamer(db), { watchMinutes: 600, rewards: 2 });
  await goLive(db, streamer.twitchId, nowMs);
  const reported = listener(counted, [streamer.twitchId]);
  await countUntil(() => reported.length > 0, streamer.twitchId);
  expect(reported.at(-1)?.offered).toEqual([{ ruleId, pauseReason: null, free: 3 }]);
});

test('A page that is closed is told nothing, and the next one is told again', async () => {
  const counted = new CountedChannels(database, 5);
  const closed = listener(counted, [channelId]);
  stops.pop()?.();
  const reported = listener(counted, [channelId]);
  await countUntil(() => reported.length > 0);
  expect(closed).toEqual([]);
});

test('Only channels that a page shows are read', async () => {
  await count(channelId);
  expect(await listCounted(db, [channelId, 'unknown'])).toEqual([{ channelId, live: true, untilMs: nowMs }]);
  expect(await listCounted(db, [])).toEqual([]);
  await recordStream(db, { channelId, stream: null }, nowMs);
  expect(await listCounted(db, [channelId])).toMatchObject([{ channelId, live: false }]);
});
