import { expect, test } from 'vitest';
import { createLog } from '#bot/log.ts';
import { trackStreams } from '#bot/twitch/channel/stream-tracker.ts';
import { dispatchEvents } from '#bot/twitch/events/event-dispatcher.ts';
import { type EventHandlers, eventTopics } from '#bot/twitch/events/event-topics.ts';
import { channels } from '#db/schema/channel.ts';
import { minute } from '#domain/kernel/time.ts';
import { START_MS } from '#tests/support/fixtures.ts';
import { db, setScene, streamer } from '#tests/support/scene.ts';

setScene();

/** Handles a stream's beginning or end that Twitch sent some time ago, in a process that polls nothing. */
function listen() {
  const streams = trackStreams({
    db,
    clock: { now: () => START_MS, stop: () => {} },
    lagMs: 3 * minute,
    repollMs: minute,
    api: { streamsOf: async () => new Map() },
  });
  const others = { follows: {}, subscribers: {}, redemptions: {} } as Omit<EventHandlers, 'streams'>;
  const topics = eventTopics({ ...others, streams: { ...streams, catchUp: () => {} } });
  const dispatcher = dispatchEvents({ db, log: createLog('silent'), topics });
  return async (type: 'stream.online' | 'stream.offline', agoMs: number) => {
    dispatcher.take({
      messageId: `${type} ${agoMs}`,
      sentAtMs: Date.now() - agoMs,
      channelId: streamer.twitchId,
      type,
      event: { id: 's1', type: 'live', started_at: new Date(START_MS).toISOString() },
    });
    await dispatcher.settle();
  };
}

const isOnAir = async () => (await db.read.select().from(channels)).map(({ live }) => live);

test('A beginning that is heard after its end does not put the channel on air', async () => {
  const receive = listen();
  await receive('stream.offline', 1000);
  await receive('stream.online', 2000);
  expect(await isOnAir()).toEqual([false]);
  await receive('stream.online', 500);
  expect(await isOnAir()).toEqual([true]);
});
