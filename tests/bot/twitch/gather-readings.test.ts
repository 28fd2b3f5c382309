import { pino } from 'pino';
import { afterEach, expect, test, vi } from 'vitest';
import { gatherReadings } from '#bot/twitch/channel/gather-readings.ts';
import type { Database } from '#db/database.ts';
import { LeaseLost } from '#domain/bot/require-lease.ts';
import type { Lease, LeaseName } from '#domain/bot/take-leases.ts';
import { channelLock } from '#domain/kernel/locks.ts';
import { minute, second } from '#domain/kernel/time.ts';
import { openTestDatabase, type TestDatabase } from '#tests/support/database.ts';
import { addPerson, addRule, addStreamer, START_MS } from '#tests/support/fixtures.ts';
import { heldLease } from '#tests/support/leases.ts';
import { everySlot } from '#tests/support/slots.ts';
import { goLive } from '#tests/support/stream.ts';
import { watchedRows } from '#tests/support/watched.ts';

const TOGETHER = 3;
const MAX_LISTED = 6;
const NOW_MS = START_MS + minute;

afterEach(() => {
  vi.useRealTimers();
});

/** Live channels of a bot that credits three readings at once, and what its transactions were. */
async function setChannels(db: TestDatabase, amount: number) {
  const channelIds: string[] = [];
  for (let n = 0; n < amount; n++) {
    const streamer = await addStreamer(db);
    await addRule(db, streamer, { watchMinutes: 1, rewards: 0 });
    await goLive(db, streamer.twitchId);
    channelIds.push(streamer.twitchId);
  }
  const seen = { transactions: 0, failing: 0, error: new Error('no row can be written') };
  /** Those that must have ended before a transaction on this channel alone. */
  const before = new Map<string, Promise<unknown>>();
  const transaction: typeof db.transaction = async (decide, options) => {
    seen.transactions += 1;
    if (seen.transactions <= seen.failing) throw seen.error;
    for (const [channelId, ended] of before) if (options?.lock === channelLock(channelId)) await ended;
    return db.transaction(decide, options);
  };
  const lost = new Set<LeaseName>();
  const store = { ...db, transaction };
  /** Refuses what requires a lost slot, as a database of these leases does. */
  const databaseFor = (leases: readonly Lease[]): Database => ({
    ...store,
    transaction: (decide, options) => {
      const first = () => {
        const gone = leases.find(({ name }) => lost.has(name));
        if (gone) throw new LeaseLost(gone);
      };
      return transaction(decide, { ...options, first } as unknown as typeof options);
    },
  });
  const slots = { ...everySlot(store), databaseFor };
  const gathered = gatherReadings({ slots, log: pino({ level: 'silent' }) }, TOGETHER, MAX_LISTED);
  gathered.limitTo(new Set(channelIds));
  const credit = (channelId: string, viewers: readonly string[] = ['77'], lease = heldLease(db)) =>
    gathered.credit({ channelId, streamId: 's1', twitchIds: new Set(viewers) }, NOW_MS, lease);
  return { channelIds, gathered, credit, seen, before, lost };
}

const secondsIn = async (db: TestDatabase) =>
  Object.fromEntries((await watchedRows(db.read)).map(({ channelId, seconds }) => [channelId, seconds]));
const allOf = (channelIds: readonly string[]) => Object.fromEntries(channelIds.map((id) => [id, 60]));

test('Readings of many channels are credited together, the last ones after a second', async () => {
  await using db = await openTestDatabase();
  const { channelIds, credit, seen } = await setChannels(db, 5);
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const credited = channelIds.map((id) => credit(id));
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
  const waiting = [first, others[0]!].map((id) => credit(id));
  gathered.hurry();
  await Promise.all(waiting);
  expect(seen.transactions).toBe(1);
  gathered.limitTo(new Set(channelIds.slice(0, TOGETHER)));
  await Promise.all(others.slice(1).map((id) => credit(id)));
  expect(seen.transactions).toBe(3);
  expect(await secondsIn(db)).toEqual(allOf(channelIds));
});

test('Readings that could not be credited together are credited one by one', async () => {
  await using db = await openTestDatabase();
  const { channelIds, credit, seen } = await setChannels(db, 4);
  seen.failing = 2;
  const [failed, ...others] = channelIds.slice(0, TOGETHER).map((id) => credit(id));
  await expect(failed).rejects.toThrow('no row can be written');
  await Promise.all(others);
  expect(await secondsIn(db)).toEqual(allOf(channelIds.slice(1, TOGETHER)));
});

test('A slow channel holds up no other one, and only its own reading fails', async () => {
  await using db = await openTestDatabase();
  const { channelIds, credit, before } = await setChannels(db, 4);
  const { twitchId } = await addPerson(db);
  let fail!: (error: Error) => void;
  const slow = new Promise<void>((_, reject) => {
    fail = reject;
  });
  before.set(channelIds[0]!, slow);
  const [first, ...others] = channelIds.slice(0, TOGETHER).map((id) => credit(id, [twitchId]));
  expect(await Promise.all(others)).toEqual(Array(2).fill({ seconds: 60, qualified: 1 }));
  fail(new Error('no row can be written'));
  await expect(first).rejects.toThrow('no row can be written');
  expect(await secondsIn(db)).toEqual(allOf(channelIds.slice(0, TOGETHER)));
});

test('A slot that is given up once its channel is done stops no work that is left for the others', async () => {
  await using db = await openTestDatabase();
  const { channelIds, credit, before, lost } = await setChannels(db, 4);
  const { twitchId } = await addPerson(db);
  let goOn!: () => void;
  before.set(
    channelIds[0]!,
    new Promise<void>((resolve) => {
      goOn = resolve;
    }),
  );
  const names = ['twitch:1', 'twitch:2', 'twitch:3'] as const;
  const [first, ...others] = names.map((name, place) =>
    credit(channelIds[place]!, [twitchId], heldLease(db, { name })),
  );
  await Promise.all(others);
  for (const name of names.slice(1)) lost.add(name);
  goOn();
  expect(await first).toEqual({ seconds: 60, qualified: 1 });
});

test('A process that has lost its lease tries no reading again', async () => {
  await using db = await openTestDatabase();
  const { channelIds, credit, seen } = await setChannels(db, 4);
  Object.assign(seen, {
    failing: 9,
    error: new LeaseLost({ name: 'watching', holder: 'a', epoch: 1 } as never),
  });
  const credited = await Promise.allSettled(channelIds.slice(0, TOGETHER).map((id) => credit(id)));
  expect(credited.map(({ status }) => status)).toEqual(Array(TOGETHER).fill('rejected'));
  expect(seen.transactions).toBe(1);
});

test('Chats are credited together only up to a number of chatters, and a larger one alone', async () => {
  await using db = await openTestDatabase();
  const { channelIds, credit, gathered, seen } = await setChannels(db, 4);
  const sizes = [2, 4, 7, 1];
  const viewers = sizes.map((size) => Array.from({ length: size }, (_, n) => String(70 + n)));
  const credited = channelIds.map((id, at) => credit(id, viewers[at]));
  await Promise.all(credited.slice(0, 3));
  expect(seen.transactions).toBe(2);
  gathered.hurry();
  await credited[3];
  expect(seen.transactions).toBe(3);
});
