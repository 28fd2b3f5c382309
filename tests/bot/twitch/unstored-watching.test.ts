import { pino } from 'pino';
import { expect, test, vi } from 'vitest';
import { watchChatters } from '#bot/twitch/channel/chatter-watcher.ts';
import { trackStreams } from '#bot/twitch/channel/stream-tracker.ts';
import { watchGaps } from '#db/schema/channel.ts';
import { minute, second } from '#domain/kernel/time.ts';
import { listWatchedChannels } from '#domain/rule/list-watched-channels.ts';
import { openTestDatabase } from '#tests/support/database.ts';
import { addRule, addStreamer, START_MS } from '#tests/support/fixtures.ts';
import { everySlot } from '#tests/support/slots.ts';
import { watchedRows } from '#tests/support/watched.ts';

test('While watch time cannot be stored, the chat is read after growing pauses, and nothing is lost', async () => {
  await using db = await openTestDatabase();
  vi.useFakeTimers({ toFake: ['Date', 'performance'], now: START_MS });
  const streamer = await addStreamer(db);
  await addRule(db, streamer, { rewards: 0, nowMs: START_MS });
  let isFull = true;
  const transaction: typeof db.transaction = (...args) =>
    isFull ? Promise.reject(new Error('database or disk is full')) : db.transaction(...args);
  let reads = 0;
  const api = {
    chattersOf: async () => {
      reads += 1;
      return { chatters: [{ twitchId: '77', login: 'demo_lurker' }], total: 1 };
    },
    streamsOf: async () => new Map(),
  };
  const clock = { now: () => Date.now(), stop: () => {} };
  const streams = trackStreams({ db, clock, api, lagMs: 180_000, repollMs: minute });
  await streams.online(streamer.twitchId, 'first', START_MS);
  const store = { ...db, transaction };
  const viewers = watchChatters({
    db: store,
    slots: everySlot(store),
    clock,
    log: pino({ level: 'silent' }),
    api,
    onFault: async () => {},
    isBot: () => false,
    maxChannels: 3,
    roundEveryMs: second,
    retryAfterMs: 10 * second,
    watched: () => listWatchedChannels(db.read),
    wake: () => {},
  });
  const round = async (afterMs: number) => {
    vi.advanceTimersByTime(afterMs);
    await viewers.round();
    await viewers.settle();
    return reads;
  };
  expect(await round(minute)).toBe(1);
  expect([await round(9 * second), await round(second), await round(19 * second)]).toEqual([1, 2, 2]);
  isFull = false;
  expect(await round(second)).toBe(3);
  expect(await watchedRows(db.read)).toMatchObject([{ twitchId: '77', seconds: 90 }]);
  expect(await db.read.select().from(watchGaps)).toEqual([]);
  vi.useRealTimers();
});
