import { expect, test } from 'vitest';
import { channelDays } from '#db/schema/channel.ts';
import { addToDay } from '#domain/channel/count-day.ts';
import { getStreamLengths } from '#domain/channel/get-stream-lengths.ts';
import { day, hour, minute } from '#domain/kernel/time.ts';
import { START_MS } from '#tests/support/fixtures.ts';
import { db, setScene, streamer } from '#tests/support/scene.ts';
import { goLive, readChatters } from '#tests/support/stream.ts';

setScene();

test('How long a channel streams is the mean of five days with a stream or more in the last thirty', async () => {
  const today = START_MS - 12 * hour;
  const live = (channelId: string, daysAgo: number, liveSeconds: number) => ({
    channelId,
    dayMs: today - daysAgo * day,
    liveSeconds,
  });
  await db.transaction(async (tx) => {
    await tx
      .insert(channelDays)
      .values([
        live('1', 0, 3600),
        live('1', 1, 0),
        ...[2, 3, 4].map((daysAgo) => live('1', daysAgo, 3600 + daysAgo)),
        live('1', 30, 7200),
        live('1', 31, 36_000),
        live('2', 2, 600),
        ...[3, 4, 5].map((daysAgo) => live('2', daysAgo, 600)),
        live('2', 31, 600),
        live('3', 31, 600),
        live('4', 0, 0),
        live('5', 0, 60),
      ]);
  });
  const lengths = await getStreamLengths(db, ['1', '2', '3', '4'], START_MS);
  // Channel 2 has one day less than an estimate needs.
  expect([...lengths]).toEqual([['1', (3600 + 3602 + 3603 + 3604 + 7200) / 5]]);
  expect(await getStreamLengths(db, [], START_MS)).toEqual(new Map());
});

test('The open day counts as far as it has come, in its row and in the channel’s', async () => {
  const { twitchId } = streamer;
  await goLive(db, twitchId, START_MS);
  await readChatters(db, twitchId, ['1'], START_MS + minute);
  await db.transaction(async (tx) => {
    for (const daysAgo of [1, 2, 3, 4])
      await addToDay(tx, { channelId: twitchId, atMs: START_MS - daysAgo * day, liveSeconds: 60 });
  });
  const lengthNow = async () => (await getStreamLengths(db, [twitchId], START_MS + minute)).get(twitchId);
  expect(await lengthNow()).toBe(60);
  // Numbers that an earlier version has written for this day stay in its row.
  await db.transaction((tx) => addToDay(tx, { channelId: twitchId, atMs: START_MS, liveSeconds: 600 }));
  expect(await lengthNow()).toBe((4 * 60 + 660) / 5);
});
