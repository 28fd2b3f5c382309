import { asc, eq } from 'drizzle-orm';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { channelDays, channels, watchDays, watchTimes } from '#db/schema/channel.ts';
import { day, hour, minute, second } from '#domain/kernel/time.ts';
import { getChannelDays } from '#domain/view/get-channel-days.ts';
import { pruneDays, RETENTION_DAYS } from '#domain/watch-time/prune-days.ts';
import { rollUpChannels } from '#domain/watch-time/roll-up-channels.ts';
import { withOthers } from '#tests/support/crowd.ts';
import { openTestDatabase, type TestDatabase } from '#tests/support/database.ts';
import { addStreamer, START_MS } from '#tests/support/fixtures.ts';
import { goLive, goOff, readChatters } from '#tests/support/stream.ts';
import { watchedRows } from '#tests/support/watched.ts';
import { watchFor } from '#tests/support/watching.ts';

const TODAY = START_MS - (START_MS % day);
const MIDNIGHT = TODAY + day;

let db: TestDatabase;
let channelId: string;
beforeEach(async () => {
  db = await openTestDatabase();
  channelId = (await addStreamer(db)).twitchId;
});
afterEach(() => db.close());

const daysOf = async (from = db) => {
  const rows = await from.read
    .select()
    .from(watchDays)
    .orderBy(asc(watchDays.dayMs), asc(watchDays.twitchId));
  return rows.map(({ dayMs, twitchId, seconds }) => [(dayMs - TODAY) / day, twitchId, seconds]);
};
const read = (twitchIds: string[], atMs: number) => readChatters(db, channelId, twitchIds, atMs);

test('A day is stored once, at its end, and the interval across midnight is split there', async () => {
  await goLive(db, channelId, MIDNIGHT - 90 * second);
  await read(['1', '2'], MIDNIGHT - 30 * second);
  expect(await daysOf()).toEqual([]);
  await read(['1', '3'], MIDNIGHT + 20 * second);
  expect(await daysOf()).toEqual([
    [0, '1', 90],
    [0, '2', 60],
    [0, '3', 30],
  ]);
  await read(['1'], MIDNIGHT + 80 * second);
  expect(await daysOf()).toHaveLength(3);
  const rows = await watchedRows(db.read).orderBy(asc(watchTimes.twitchId));
  expect(rows.map((row) => [row.twitchId, row.seconds, row.rolledSeconds])).toEqual([
    ['1', 170, 90],
    ['2', 60, 60],
    ['3', 50, 30],
  ]);
});

test('A day of many viewers is stored in slices, and a process that ends between them loses and doubles nothing', async () => {
  vi.spyOn(performance, 'now').mockReturnValue(0);
  onTestFinished(() => void vi.restoreAllMocks());
  const viewers = Array.from({ length: 5100 }, (_, place) => String(100_000 + place));
  await goLive(db, channelId, MIDNIGHT - 90 * second);
  await read(viewers, MIDNIGHT - 30 * second);
  const written: number[] = [];
  const killed = withOthers(db, async () => {
    written.push((await daysOf()).length);
    if (written.at(-1) === 5000) throw new Error('killed');
  });
  await expect(readChatters(killed, channelId, viewers, MIDNIGHT + 20 * second)).rejects.toThrow('killed');
  // The time before midnight, the turn of the day, and the first slice.
  expect(written).toEqual([0, 0, 5000]);
  expect(await readChatters(db, channelId, viewers, MIDNIGHT + 80 * second)).toEqual({
    seconds: 80,
    qualified: 0,
  });
  expect(await daysOf()).toEqual(viewers.map((id) => [0, id, 90]));
  const rows = await watchedRows(db.read);
  expect(rows.filter((row) => row.seconds === 170 && row.rolledSeconds === 90)).toHaveLength(5100);
});

test('An offline channel is rolled up as well, once, and for the day on which it was watched', async () => {
  const other = (await addStreamer(db)).twitchId;
  await goLive(db, channelId, START_MS);
  await read(['1'], START_MS + minute);
  await goOff(db, channelId, START_MS + minute);
  expect(await rollUpChannels(db, START_MS + hour)).toBe(0);
  expect(await rollUpChannels(db, MIDNIGHT + 3 * day)).toBe(1);
  expect(await rollUpChannels(db, MIDNIGHT + 3 * day + hour)).toBe(0);
  expect(await daysOf()).toEqual([[0, '1', 60]]);
  const [untouched] = await db.read.select().from(channels).where(eq(channels.id, other));
  expect(untouched?.rolledUpToMs).toBeNull();
});

test('What was counted before daily statistics belongs to no day', async () => {
  await watchFor(db, channelId, [['1', 5000]]);
  await goLive(db, channelId, START_MS);
  await read(['1'], START_MS + minute);
  await goOff(db, channelId, START_MS + minute);
  await rollUpChannels(db, MIDNIGHT);
  expect(await daysOf()).toEqual([[0, '1', 60]]);
});

test('Days that nobody needs any more are deleted, also those of a channel that is gone', async () => {
  const gone = await addStreamer(db);
  for (const id of [channelId, gone.twitchId]) {
    await goLive(db, id, START_MS);
    await readChatters(db, id, ['1'], START_MS);
    await readChatters(db, id, ['1'], START_MS + minute);
    await goOff(db, id, START_MS + minute);
  }
  await rollUpChannels(db, MIDNIGHT);
  await db.transaction((tx) => tx.delete(channels).where(eq(channels.id, gone.twitchId)));
  await pruneDays(db, MIDNIGHT + (RETENTION_DAYS - 1) * day);
  expect(await daysOf()).toHaveLength(2);
  await pruneDays(db, MIDNIGHT + RETENTION_DAYS * day);
  expect(await daysOf()).toEqual([]);
});

test('Whenever it is read and rolled up, each second belongs to the day on which it was watched', async () => {
  const step = fc.record({ passMs: fc.integer({ min: 1, max: 150_000 }), roll: fc.boolean() });
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 0, max: 600_000 }),
      fc.array(step, { maxLength: 12 }),
      async (before, steps) => {
        await using store = await openTestDatabase();
        const { twitchId } = await addStreamer(store);
        let nowMs = MIDNIGHT - before;
        let cursorMs = nowMs;
        const expected = [0, 0];
        await goLive(store, twitchId, nowMs);
        for (const { passMs, roll } of steps) {
          nowMs += passMs;
          if (roll) await rollUpChannels(store, nowMs);
          const seconds = Math.floor((nowMs - cursorMs) / second);
          if (seconds === 0) continue;
          await readChatters(store, twitchId, ['1'], nowMs);
          const untilMs = cursorMs + seconds * second;
          const early = Math.max(0, Math.floor((Math.min(untilMs, MIDNIGHT) - cursorMs) / second));
          expected[0] = (expected[0] ?? 0) + early;
          expected[1] = (expected[1] ?? 0) + seconds - early;
          cursorMs = untilMs;
          const { days } = await getChannelDays(store, { channelId: twitchId, period: 7 }, nowMs);
          const shown = days.slice(-2).map(({ watchSeconds }) => watchSeconds);
          const isNextDay = nowMs >= MIDNIGHT;
          expect(shown, 'what its page shows').toEqual(isNextDay ? expected : [0, expected[0]]);
        }
        await goOff(store, twitchId, cursorMs);
        await rollUpChannels(store, MIDNIGHT + day);
        const rows = expected.flatMap((seconds, place) => (seconds > 0 ? [[place, '1', seconds]] : []));
        expect(await daysOf(store as TestDatabase)).toEqual(rows);
        const sums = await store.read.select().from(channelDays).orderBy(asc(channelDays.dayMs));
        expect(sums.map(({ dayMs, watchSeconds }) => [(dayMs - TODAY) / day, '1', watchSeconds])).toEqual(
          rows,
        );
      },
    ),
    { numRuns: 40 },
  );
});
