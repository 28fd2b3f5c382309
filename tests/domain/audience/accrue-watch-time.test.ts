import { asc, eq, type SQL } from 'drizzle-orm';
import { beforeEach, expect, test } from 'vitest';
import type { Tx } from '#db/database.ts';
import { channels, viewerGaps, watchDays, watchGaps, watchTimes } from '#db/schema/channel.ts';
import { deleteChannel } from '#domain/account/delete-channel.ts';
import { accrueWatchTime } from '#domain/audience/accrue-watch-time.ts';
import { MAX_INTERVAL_MS } from '#domain/audience/take-intervals.ts';
import { eraseViewerRecords } from '#domain/condition/conditions.ts';
import { day, hour, minute, second } from '#domain/kernel/time.ts';
import { pruneGaps } from '#domain/watch-time/prune-gaps.ts';
import { recordStream } from '#domain/watch-time/record-stream.ts';
import { addPerson, addRule, addStreamer, START_MS } from '#tests/support/fixtures.ts';
import { rewardsOf } from '#tests/support/looking.ts';
import { db, setScene, streamer } from '#tests/support/scene.ts';
import { goLive, goOff, readChatters } from '#tests/support/stream.ts';
import { watchedRows } from '#tests/support/watched.ts';

setScene();
let channelId: string;
beforeEach(async () => {
  channelId = streamer.twitchId;
  await goLive(db, channelId);
});

const read = (
  twitchIds: string[],
  afterMs: number,
  facts: Parameters<typeof readChatters>[4] = {},
  channel = channelId,
) => readChatters(db, channel, twitchIds, START_MS + afterMs, facts);
const secondsOf = async (twitchId: string, channel = channelId) => {
  const rows = await watchedRows(db.read, eq(watchTimes.channelId, channel));
  return rows.find((row) => row.twitchId === twitchId)?.seconds ?? 0;
};
const gaps = () =>
  db.read
    .select({ fromMs: watchGaps.fromMs, untilMs: watchGaps.untilMs, reason: watchGaps.reason })
    .from(watchGaps)
    .orderBy(asc(watchGaps.fromMs));

test('Chatters in the list are credited the time since the last reading, and nobody else is', async () => {
  expect(await read(['1', '2'], minute)).toEqual({ seconds: 60, qualified: 0 });
  expect(await read(['2', '3'], 90 * second)).toEqual({ seconds: 30, qualified: 0 });
  expect([await secondsOf('1'), await secondsOf('2'), await secondsOf('3')]).toEqual([60, 90, 30]);
  expect(await read([], 2 * minute)).toEqual({ seconds: 30, qualified: 0 });
  expect(await secondsOf('2')).toBe(90);
});

test('Watching one channel does not count for another', async () => {
  const other = await addStreamer(db);
  await goLive(db, other.twitchId);
  await read(['1'], minute);
  await read(['1'], 30 * second, {}, other.twitchId);
  expect([await secondsOf('1'), await secondsOf('1', other.twitchId)]).toEqual([60, 30]);
});

test('Fractions of seconds are not lost between readings', async () => {
  for (let tick = 1; tick <= 10; tick++) await read(['1'], tick * 60_900);
  expect(await secondsOf('1')).toBe(609);
});

test('Two readings of the same time count once, whichever process made them', async () => {
  const both = await Promise.all([read(['1'], minute), read(['1', '2'], minute)]);
  expect(both.map(({ seconds }) => seconds).sort()).toEqual([0, 60]);
  expect(await secondsOf('1')).toBe(60);
  await read(['1'], minute + 500);
  expect(await secondsOf('1')).toBe(60);
});

test('A reading from before the last one credits nothing and moves nothing back', async () => {
  await read(['1'], 2 * minute);
  expect((await read(['1'], minute)).seconds).toBe(0);
  expect((await read(['1'], 3 * minute)).seconds).toBe(60);
});

test('The longest interval counts whole; a longer one counts nothing and is recorded with its reason', async () => {
  expect((await read(['1'], MAX_INTERVAL_MS)).seconds).toBe(150);
  expect((await read(['1'], 2 * MAX_INTERVAL_MS + second)).seconds).toBe(0);
  expect(await secondsOf('1')).toBe(150);
  expect(await gaps()).toEqual([
    {
      fromMs: START_MS + MAX_INTERVAL_MS,
      untilMs: START_MS + 2 * MAX_INTERVAL_MS + second,
      reason: 'notPolled',
    },
  ]);
  expect((await read(['1'], 2 * MAX_INTERVAL_MS + minute + second)).seconds).toBe(60);
});

test('With a given reason even a short interval does not count', async () => {
  await read(['1'], minute);
  await read(['1'], 2 * minute, { gapReason: 'twitchUnavailable' });
  await read(['1'], 3 * minute);
  expect(await secondsOf('1')).toBe(120);
  expect((await gaps()).map(({ reason }) => reason)).toEqual(['twitchUnavailable']);
});

test('Nothing counts for a channel that is unknown, or live with another stream', async () => {
  expect((await read(['1'], minute, { streamId: 's0' })).seconds).toBe(0);
  expect((await read(['1'], minute, {}, 'nobody')).seconds).toBe(0);
  expect(await secondsOf('1')).toBe(0);
});

test('The first reading after the end counts until the end, and the next one nothing', async () => {
  await read(['1'], minute);
  await goOff(db, channelId, START_MS + minute + 40 * second);
  expect((await read(['1'], 2 * minute)).seconds).toBe(40);
  expect((await read(['1'], 3 * minute)).seconds).toBe(0);
  expect(await gaps()).toEqual([]);
});

test('The unread end of a stream is a gap, up to the end', async () => {
  await read(['1'], minute);
  await goOff(db, channelId, START_MS + 10 * minute);
  expect((await read(['1'], 11 * minute)).seconds).toBe(0);
  expect(await gaps()).toEqual([
    { fromMs: START_MS + minute, untilMs: START_MS + 10 * minute, reason: 'notPolled' },
  ]);
});

const live = (streamId: string, startedAtMs: number, nowMs: number) =>
  recordStream(
    db,
    { channelId, stream: { streamId, startedAtMs, gameName: '', title: '' } },
    START_MS + nowMs,
  );

test('A stream noticed a little late counts from its start', async () => {
  await live('s2', START_MS + 2 * minute, 3 * minute);
  expect((await read(['1'], 3 * minute + 30 * second, { streamId: 's2' })).seconds).toBe(90);
  expect(await gaps()).toEqual([]);
});

test('What was streamed before it could be noticed is a gap where rules watch, and nothing elsewhere', async () => {
  await live('s2', START_MS + 2 * minute, 20 * minute);
  expect(await gaps()).toEqual([]);
  await addRule(db, streamer, { rewards: 0 });
  await live('s3', START_MS + 30 * minute, 45 * minute);
  expect((await read(['1'], 46 * minute, { streamId: 's3' })).seconds).toBe(60);
  // The rule began with the stream before, of which nothing was read.
  expect(await gaps()).toEqual([
    { fromMs: START_MS, untilMs: START_MS + 30 * minute, reason: 'notPolled' },
    { fromMs: START_MS + 30 * minute, untilMs: START_MS + 45 * minute, reason: 'notPolled' },
  ]);
});

test('The first rule of a live channel counts from its own start, and earlier time is no gap', async () => {
  await addRule(db, streamer, { rewards: 0, nowMs: START_MS + hour });
  expect((await read(['1'], hour + minute)).seconds).toBe(60);
  await addRule(db, streamer, { rewards: 0, nowMs: START_MS + hour + minute + 30 * second });
  expect((await read(['1'], hour + 2 * minute)).seconds).toBe(60);
  expect(await gaps()).toEqual([]);
});

test('A longer break of the same stream is a gap where rules watch, and the rest of the minute counts', async () => {
  await addRule(db, streamer, { rewards: 0 });
  await read(['1'], minute);
  await goOff(db, channelId, START_MS + minute);
  await goLive(db, channelId, START_MS + 4 * minute);
  expect((await read(['1'], 4 * minute + 20 * second)).seconds).toBe(20);
  expect(await gaps()).toEqual([
    { fromMs: START_MS + minute, untilMs: START_MS + 4 * minute, reason: 'notPolled' },
  ]);
});

test('A new stream starts at its own start time', async () => {
  await read(['1'], minute);
  await goOff(db, channelId, START_MS + 2 * minute);
  await goLive(db, channelId, START_MS + 3 * minute, 's2');
  expect((await read(['1'], 4 * minute, { streamId: 's2' })).seconds).toBe(60);
  await goLive(db, channelId, START_MS + 5 * minute, 's3');
  expect((await read(['1'], 5 * minute + 20 * second, { streamId: 's3' })).seconds).toBe(20);
  expect(await secondsOf('1')).toBe(140);
  expect(await gaps()).toEqual([]);
});

test('A flapping stream was never away, and a repeated live report changes nothing', async () => {
  await read(['1'], minute);
  await goLive(db, channelId, START_MS + minute + 10 * second);
  await goOff(db, channelId, START_MS + minute + 20 * second);
  await goOff(db, channelId, START_MS + minute + 25 * second);
  await goLive(db, channelId, START_MS + minute + 50 * second);
  expect((await read(['1'], 2 * minute)).seconds).toBe(60);
});

test('The same stream after a longer absence continues from its return', async () => {
  await read(['1'], minute);
  await goOff(db, channelId, START_MS + 2 * minute);
  await goLive(db, channelId, START_MS + 8 * minute);
  expect((await read(['1'], 9 * minute)).seconds).toBe(60);
  expect(await secondsOf('1')).toBe(120);
});

test('The tick that crosses a threshold promises at once; the one before does not', async () => {
  const viewer = await addPerson(db);
  const ruleId = await addRule(db, streamer, { watchMinutes: 3 });
  expect((await read([viewer.twitchId], minute)).qualified).toBe(0);
  expect((await read([viewer.twitchId], 2 * minute)).qualified).toBe(0);
  expect((await read([viewer.twitchId], 3 * minute - second)).qualified).toBe(0);
  expect((await read([viewer.twitchId], 3 * minute)).qualified).toBe(1);
  expect((await read([viewer.twitchId], 4 * minute)).qualified).toBe(0);
  expect(await rewardsOf(db, ruleId)).toMatchObject([
    { state: 'promised', twitchId: viewer.twitchId, promisedAtMs: START_MS + 3 * minute },
  ]);
});

test('Each of several thresholds is noticed at its own tick', async () => {
  const viewer = await addPerson(db);
  const thresholds = [2, 3, 5];
  for (const watchMinutes of thresholds) await addRule(db, streamer, { watchMinutes, rewards: 0 });
  const qualified: number[] = [];
  for (let tick = 1; tick <= 6; tick++)
    qualified.push((await read([viewer.twitchId], tick * minute)).qualified);
  expect(qualified).toEqual([0, 1, 1, 0, 1, 0]);
});

test('A rule opened later notices who crosses its threshold, before and after others', async () => {
  const viewer = await addPerson(db);
  const later = await addPerson(db);
  await addRule(db, streamer, { watchMinutes: 30, rewards: 0 });
  await read([viewer.twitchId], minute);
  const nowMs = START_MS + minute;
  await addRule(db, streamer, { watchMinutes: 2, rewards: 0, nowMs });
  await addRule(db, streamer, { watchMinutes: 3, rewards: 0, nowMs, watchScope: 'allTime' });
  const qualified: number[] = [];
  for (let tick = 2; tick <= 5; tick++)
    qualified.push((await read([viewer.twitchId, later.twitchId], tick * minute)).qualified);
  // The viewer meets both at the third minute, the newcomer one after the other.
  expect(qualified).toEqual([0, 3, 1, 0]);
});

test('A new stream before the last reading of the old one leaves a gap, whether or not the end was reported', async () => {
  await addRule(db, streamer, { rewards: 0 });
  await read(['1'], minute);
  await goOff(db, channelId, START_MS + 90 * second);
  await goLive(db, channelId, START_MS + 100 * second, 's2');
  expect(await gaps()).toEqual([
    { fromMs: START_MS + minute, untilMs: START_MS + 90 * second, reason: 'notPolled' },
  ]);
  await read(['1'], 150 * second, { streamId: 's2' });
  expect(await secondsOf('1')).toBe(60 + 50);
  await goLive(db, channelId, START_MS + 170 * second, 's3');
  expect((await gaps())[1]).toEqual({
    fromMs: START_MS + 150 * second,
    untilMs: START_MS + 170 * second,
    reason: 'notPolled',
  });
});

test('A clock that leaps forward and back costs a gap up to the present, and nothing after it', async () => {
  await addRule(db, streamer, { rewards: 0 });
  await read(['1'], minute);
  expect(await read(['1'], 6 * hour)).toEqual({ seconds: 0, qualified: 0 });
  await read(['1'], 2 * minute);
  expect(await gaps()).toEqual([
    { fromMs: START_MS + minute, untilMs: START_MS + 2 * minute, reason: 'notPolled' },
  ]);
  await read(['1'], 3 * minute);
  expect(await secondsOf('1')).toBe(60 + 60);
  await read(['1'], 12 * hour);
  expect(await gaps()).toHaveLength(2);
});

test('A cursor ahead by less than an interval that counts was credited, and is waited for', async () => {
  await read(['1'], 2 * minute);
  expect(await read(['1'], minute)).toEqual({ seconds: 0, qualified: 0 });
  await read(['1'], 3 * minute);
  expect(await secondsOf('1')).toBe(180);
});

test('What did not count for a viewer alone is one gap as long as it lasts, and only for who is registered', async () => {
  const viewer = await addPerson(db);
  const elsewhere = (afterMs: number, elsewhereIds: string[]) =>
    readChatters(db, channelId, ['1'], START_MS + afterMs, { uncounted: { watchedElsewhere: elsewhereIds } });
  const own = () => db.read.select().from(viewerGaps).orderBy(asc(viewerGaps.fromMs));
  await elsewhere(minute, [viewer.twitchId, '2']);
  await elsewhere(2 * minute, [viewer.twitchId, '2']);
  await elsewhere(3 * minute, []);
  await elsewhere(4 * minute, [viewer.twitchId]);
  const gap = { channelId, twitchId: viewer.twitchId, reason: 'watchedElsewhere' };
  expect(await own()).toEqual([
    { ...gap, fromMs: START_MS, untilMs: START_MS + 2 * minute },
    { ...gap, fromMs: START_MS + 3 * minute, untilMs: START_MS + 4 * minute },
  ]);
  expect(await secondsOf(viewer.twitchId)).toBe(0);
  // An interval that counted for nobody is the channel's gap alone.
  await elsewhere(4 * minute + MAX_INTERVAL_MS + minute, [viewer.twitchId]);
  expect(await own()).toHaveLength(2);
  expect(await pruneGaps(db, START_MS + 31 * day)).toBe(3);
  expect(await own()).toEqual([]);
});

test('Who is present when the row of their channel goes keeps what they watched, also once the channel is back', async () => {
  await read(['1', '2'], 2 * minute);
  await read(['2'], 3 * minute);
  const [row] = await db.read.select().from(channels).where(eq(channels.id, channelId));
  await db.transaction((tx) => deleteChannel(tx, { channelId }));
  expect(await db.read.$count(channels, eq(channels.id, channelId))).toBe(0);
  const seconds = async () => [await secondsOf('1'), await secondsOf('2')];
  expect(await seconds()).toEqual([120, 180]);
  const { id, login, displayName, lastSeenAtMs } = row!;
  await db.transaction(async (tx) => {
    await tx.insert(channels).values({ id, login, displayName, lastSeenAtMs });
  });
  await goLive(db, channelId, START_MS + 10 * minute, 's2');
  await read(['2'], 11 * minute, { streamId: 's2' });
  expect(await seconds()).toEqual([120, 240]);
});

test('Whoever comes to a channel while their account is deleted counts there from the next reading on', async () => {
  const other = await addStreamer(db);
  await goLive(db, other.twitchId);
  await read(['1'], minute);
  const [row] = await db.read.select().from(channels).where(eq(channels.id, other.twitchId));
  // Of another transaction, which commits while the deletion is under way.
  const come = (tx: Tx) =>
    tx
      .insert(watchTimes)
      .values({ channelId: other.twitchId, twitchId: '1', seconds: 0, nextCheckSeconds: 60, since: 0 });
  await db.transaction(async (tx) => {
    const remove: Tx['delete'] = (table) => {
      const deletion = tx.delete(table);
      const where = deletion.where.bind(deletion);
      const days = (async (condition: SQL) => {
        await where(condition);
        await come(tx);
      }) as unknown as typeof where;
      return Object.assign(deletion, (table as unknown) === watchDays && { where: days });
    };
    const interrupted = new Proxy(tx, {
      get: (target, key) => (key === 'delete' ? remove : Reflect.get(target, key)),
    });
    await eraseViewerRecords(interrupted, '1');
  });
  expect(await db.read.$count(watchTimes)).toBe(0);
  const remembered = new Map([[other.twitchId, { version: row!.version, twitchIds: '1' }]]);
  const reading = { channelId: other.twitchId, streamId: 's1', twitchIds: new Set(['1']) };
  await accrueWatchTime(db, reading, START_MS + minute, remembered);
  expect(await secondsOf('1', other.twitchId)).toBe(60);
});
