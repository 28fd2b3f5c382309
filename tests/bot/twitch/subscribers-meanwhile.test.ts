import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createLog } from '#bot/log.ts';
import { readSubscribers } from '#bot/twitch/channel/subscriber-reader.ts';
import { subscribers } from '#db/schema/channel.ts';
import { recordSubscribers } from '#domain/channel/record-subscribers.ts';
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
  const reader = readSubscribers({
    db: store,
    clock: { now: () => START_MS, stop: () => {} },
    log: createLog('silent'),
    api: {
      subscribersOf: async () => ({ subscribers: listed, total: listed.length }),
      subscriberTier: async () => null,
    },
    onFault: async () => {},
    retryAfterMs: 1,
    wake: () => {},
  });
  await reader.round(await listWatchedChannels(db.read), new AbortController().signal);
  const known = new Map(
    (await db.read.select().from(subscribers)).map(({ twitchId, tier }) => [twitchId, tier]),
  );
  expect([early, late, newcomer].map((twitchId) => known.get(twitchId))).toEqual([undefined, undefined, 2]);
  expect(known.size).toBe(CROWD - 1);
});
