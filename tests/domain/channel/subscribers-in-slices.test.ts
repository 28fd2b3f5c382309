import { asc } from 'drizzle-orm';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Database } from '#db/database.ts';
import { channelDays, channels, subscribers } from '#db/schema/channel.ts';
import { recordSubscribers } from '#domain/channel/record-subscribers.ts';
import { hour, minute } from '#domain/kernel/time.ts';
import { withOthers } from '#tests/support/crowd.ts';
import { START_MS } from '#tests/support/fixtures.ts';
import { db, setScene, streamer } from '#tests/support/scene.ts';

setScene();

// A transaction's duration decides the next one's size: here none takes any time.
beforeEach(() => {
  vi.spyOn(performance, 'now').mockReturnValue(0);
});
afterEach(() => {
  vi.restoreAllMocks();
});

/** Rows of the first transaction; each later one has twice as many. */
const FIRST = 5000;
const AGAIN_MS = START_MS + hour;

const someone = (place: number) => `9${String(place).padStart(6, '0')}`;
const people = (amount: number, tier: 1 | 2 = 1) =>
  Array.from({ length: amount }, (_, place) => ({ twitchId: someone(place), tier }));
const record = (store: Database, listed: ReturnType<typeof people>, readAtMs: number) =>
  recordSubscribers(store, { channelId: streamer.twitchId, subscribers: listed, readAtMs });
const stored = async () => {
  const rows = await db.read.select().from(subscribers).orderBy(asc(subscribers.twitchId));
  return rows.map(({ twitchId, tier }) => ({ twitchId, tier }));
};
const readAtMs = async () =>
  (await db.read.select({ at: channels.subscribersReadAtMs }).from(channels))[0]?.at;
const counted = async () => (await db.read.select().from(channelDays))[0]?.subscribers;

test('A long list is recorded in several transactions, and counts as read when all of it is', async () => {
  const seen: unknown[] = [];
  const store = withOthers(db, async () => {
    seen.push([(await stored()).length, await readAtMs()]);
  });
  await record(store, people(12_000), START_MS);
  expect(seen).toEqual([
    [FIRST, null],
    [12_000, START_MS],
  ]);
  expect(await counted()).toBe(12_000);
});

test('Reading it again compares slices, and writes those who came, changed and left', async () => {
  await record(db, people(12_000), START_MS);
  const lately = [...people(2), ...people(12_100, 2).slice(11_000)];
  const store = withOthers(db, async () => {});
  await record(store, lately, AGAIN_MS);
  expect(store.transactions).toBe(2);
  // Those who left stay until a second look misses them, too.
  expect(await stored()).toHaveLength(12_100);
  expect(await record(store, lately, AGAIN_MS + minute)).toBe(10_998);
  expect(await stored()).toHaveLength(12_100);
  expect(await record(store, lately, AGAIN_MS + 2 * minute)).toBe(0);
  expect(await stored()).toEqual(lately);
  expect([await readAtMs(), await counted()]).toEqual([AGAIN_MS + 2 * minute, 1102]);
});

test('A process that ends between two of them leaves a list that the next reading completes', async () => {
  await record(db, people(12_000), START_MS - hour);
  await record(db, people(1), START_MS);
  const killed = withOthers(db, async () => {
    throw new Error('killed');
  });
  await expect(record(killed, people(1), AGAIN_MS)).rejects.toThrow('killed');
  expect([(await stored()).length, await readAtMs()]).toEqual([12_000 - FIRST + 1, START_MS]);
  await record(db, people(1), AGAIN_MS + hour);
  expect(await stored()).toEqual(people(1));
});
