import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createLog } from '#bot/log.ts';
import { readSubscribers } from '#bot/twitch/channel/subscriber-reader.ts';
import type { Database } from '#db/database.ts';
import { subscribers } from '#db/schema/channel.ts';
import { recordSubscribers, type Subscriber } from '#domain/channel/record-subscribers.ts';
import { listWatchedChannels } from '#domain/rule/list-watched-channels.ts';
import { withOthers } from '#tests/support/crowd.ts';
import { addRule, START_MS } from '#tests/support/fixtures.ts';
import { db, setScene, streamer } from '#tests/support/scene.ts';

setScene();

// A transaction's duration decides the next one's size: here none takes any time.
beforeEach(() => {
  vi.spyOn(performance, 'now').mockReturnValue(0);
});
afterEach(() => {
  vi.restoreAllMocks();
});

const someone = (place: number) => `9${String(place).padStart(6, '0')}`;
const readerOf = (subscribersOf: () => Promise<Subscriber[]>, store: Database = db) =>
  readSubscribers({
    db: store,
    clock: { now: () => START_MS, stop: () => {} },
    log: createLog('silent'),
    api: {
      subscribersOf: async () => {
        const listed = await subscribersOf();
        return { subscribers: listed, total: listed.length };
      },
      subscriberTier: async () => null,
    },
    onFault: async () => {},
    retryAfterMs: 1,
    wake: () => {},
  });
const readOnce = async (reader: ReturnType<typeof readerOf>) => {
  await reader.round(await listWatchedChannels(db.read), new AbortController().signal);
  await reader.settle();
};

/** More than are recorded in one transaction. */
const CROWD = 12_000;

test('Subscriptions that are reported while a long list is recorded stay as they were reported', async () => {
  const { twitchId: channelId } = streamer;
  const listed = Array.from({ length: CROWD }, (_, place) => ({
    twitchId: someone(place),
    tier: 1 as const,
  }));
  await recordSubscribers(db, { channelId, subscribers: listed, readAtMs: START_MS });
  await addRule(db, streamer, { watchMinutes: null, subscriberTier: 1, rewards: 0 });
  const [early, late, newcomer] = [someone(0), someone(CROWD - 1), someone(99_999)];
  let isReported = false;
  const store = withOthers(db, async () => {
    if (isReported) return;
    isReported = true;
    for (const twitchId of [early, late])
      await reader.handleSubscription(channelId, { twitchId, tier: 1, ended: true });
    await reader.handleSubscription(channelId, { twitchId: newcomer, tier: 2, ended: false });
  });
  const reader = readerOf(async () => listed, store);
  await readOnce(reader);
  const known = new Map(
    (await db.read.select().from(subscribers)).map(({ twitchId, tier }) => [twitchId, tier]),
  );
  expect([early, late, newcomer].map((twitchId) => known.get(twitchId))).toEqual([undefined, undefined, 2]);
  expect(known.size).toBe(CROWD - 1);
});

test('An end that is heard before the list that still has the subscription ends it, and a beginning stays', async () => {
  const { twitchId: channelId } = streamer;
  await addRule(db, streamer, { watchMinutes: null, subscriberTier: 1, rewards: 0 });
  const [ended, changed, newcomer] = [someone(1), someone(2), someone(3)];
  const reader = readerOf(async () => {
    // Twitch has made its answer; what it reports next arrives first.
    await reader.handleSubscription(channelId, { twitchId: ended, tier: 1, ended: true });
    await reader.handleSubscription(channelId, { twitchId: changed, tier: 1, ended: true });
    await reader.handleSubscription(channelId, { twitchId: changed, tier: 3, ended: false });
    await reader.handleSubscription(channelId, { twitchId: newcomer, tier: 2, ended: false });
    return [ended, changed].map((twitchId) => ({ twitchId, tier: 1 }));
  });
  await readOnce(reader);
  const known = (await db.read.select().from(subscribers)).map(({ twitchId, tier }) => [twitchId, tier]);
  expect(known.sort()).toEqual([
    [changed, 3],
    [newcomer, 2],
  ]);
});

test('The answer to a question about one viewer is not undone by a list that was read before it', async () => {
  const { twitchId: channelId } = streamer;
  await addRule(db, streamer, { watchMinutes: null, subscriberTier: 1, rewards: 0 });
  const [gone, newcomer] = [someone(1), someone(2)];
  const reader = readerOf(async () => {
    // Twitch has made its answer; a claim's check asks about one viewer and is answered first.
    reader.handleAnswer({ channelId, twitchId: gone, tier: null });
    reader.handleAnswer({ channelId, twitchId: newcomer, tier: 2 });
    return [{ twitchId: gone, tier: 3 }];
  });
  await readOnce(reader);
  const known = (await db.read.select().from(subscribers)).map(({ twitchId, tier }) => [twitchId, tier]);
  expect(known).toEqual([[newcomer, 2]]);
});

test('The answer to a question about one viewer is not undone while an older list is recorded', async () => {
  const { twitchId: channelId } = streamer;
  const listed = Array.from({ length: CROWD }, (_, place) => ({
    twitchId: someone(place),
    tier: 2 as const,
  }));
  await addRule(db, streamer, { watchMinutes: null, subscriberTier: 1, rewards: 0 });
  const gone = someone(CROWD - 1);
  let isAnswered = false;
  const store = withOthers(db, async () => {
    if (isAnswered) return;
    isAnswered = true;
    reader.handleAnswer({ channelId, twitchId: gone, tier: null });
  });
  const reader = readerOf(async () => listed, store);
  await readOnce(reader);
  const known = (await db.read.select().from(subscribers)).map(({ twitchId }) => twitchId);
  expect([known.length, known.includes(gone)]).toEqual([CROWD - 1, false]);
});
