import { expect, test } from 'vitest';
import { attendances, watchGaps, watchTimes } from '#db/schema/channel.ts';
import { newId } from '#domain/kernel/id.ts';
import { hour, minute } from '#domain/kernel/time.ts';
import { cancelRaffle } from '#domain/raffle/cancel-raffle.ts';
import { prepareRaffle } from '#domain/raffle/prepare-raffle.ts';
import { startRaffle } from '#domain/raffle/start-raffle.ts';
import { listWatchedChannels } from '#domain/rule/list-watched-channels.ts';
import { nothingAsked } from '#tests/support/conditions.ts';
import { addPerson, START_MS } from '#tests/support/fixtures.ts';
import {
  drawRaffle,
  enter,
  entriesOf,
  placesOf,
  raffleDraft,
  readLists,
  stock,
} from '#tests/support/raffles.ts';
import { db, setScene, streamer } from '#tests/support/scene.ts';
import { goLive, readChatters } from '#tests/support/stream.ts';

setScene();

const prepare = (conditions: Partial<typeof nothingAsked>) => {
  const draft = raffleDraft({ conditions: { ...nothingAsked, ...conditions } });
  return prepareRaffle(db, { requestId: newId(START_MS), userId: streamer.userId, draft }, START_MS);
};

/** Somebody of the past, so that the channel has counts. */
const countOnce = (twitchId = '4711') =>
  db.transaction(async (tx) => {
    const viewer = { channelId: streamer.twitchId, twitchId };
    await tx.insert(watchTimes).values({ ...viewer, seconds: 60, nextCheckSeconds: 0 });
    const stream = { streams: 0, streamNumber: 0, fromSeconds: 0, attended: false };
    await tx.insert(attendances).values({ ...viewer, ...stream });
  });

/** A stream from the start on, with a reading of each minute. */
async function watch(twitchIds: readonly string[], minutes: number): Promise<void> {
  await goLive(db, streamer.twitchId);
  for (let passed = 0; passed <= minutes; passed++)
    await readChatters(db, streamer.twitchId, twitchIds, START_MS + passed * minute);
}

test.each([{ asked: { watchMinutes: 10 } }, { asked: { attendedStreams: 1 } }])(
  'What a raffle asks for is counted while no rule is open: $asked',
  async ({ asked }) => {
    const viewer = await addPerson(db);
    await countOnce();
    await stock(db, streamer, 1);
    const prepared = await prepare(asked);
    if (!prepared.ok) throw new Error(prepared.code);
    const { raffleId } = prepared;
    expect(await listWatchedChannels(db.read)).toMatchObject([
      { id: streamer.twitchId, hasOpenRule: true, countsWatching: true, lacksPermission: false },
    ]);
    await watch([viewer.twitchId], 11);
    const startMs = START_MS + 11 * minute;
    await readLists(db, streamer, startMs);
    await startRaffle(db, { raffleId }, startMs);
    const { twitchId: channelId } = streamer;
    await enter(db, raffleId, { channelId, twitchIds: [viewer.twitchId, '4711'], nowMs: startMs });
    expect((await entriesOf(db, raffleId)).map(({ twitchId }) => twitchId)).toEqual([viewer.twitchId]);
    expect(await listWatchedChannels(db.read)).toMatchObject([{ countsWatching: true }]);
    await drawRaffle(db, startMs + 5 * minute);
    expect(await placesOf(db, raffleId)).toMatchObject([
      { twitchId: viewer.twitchId, placeState: 'promised' },
    ]);
  },
);

test('Nothing is counted any more once the raffle is cancelled', async () => {
  await countOnce();
  await stock(db, streamer, 1);
  const prepared = await prepare({ attendedStreams: 1 });
  if (!prepared.ok) throw new Error(prepared.code);
  await cancelRaffle(db, prepared, START_MS);
  await watch(['12'], 11);
  const counted = (await db.read.select().from(attendances)).map(({ twitchId }) => twitchId);
  expect(counted).toEqual(['4711']);
  expect(await listWatchedChannels(db.read)).toMatchObject([{ countsWatching: false }]);
});

test('A stream that is noticed late is a gap while a raffle is prepared', async () => {
  await stock(db, streamer, 1);
  await prepare({});
  await goLive(db, streamer.twitchId);
  await readChatters(db, streamer.twitchId, ['12'], START_MS);
  await goLive(db, streamer.twitchId, START_MS + hour, 's2');
  expect(await db.read.select().from(watchGaps)).toMatchObject([{ channelId: streamer.twitchId }]);
});

test('A raffle that asks for what was never counted on its channel is refused', async () => {
  await stock(db, streamer, 1);
  const refusal = { ok: false, code: 'notCounted' };
  expect(await prepare({ watchMinutes: 10 })).toMatchObject(refusal);
  expect(await prepare({ attendedStreams: 1 })).toMatchObject(refusal);
  await db.transaction(async (tx) => {
    const viewer = { channelId: streamer.twitchId, twitchId: '4711' };
    await tx.insert(watchTimes).values({ ...viewer, seconds: 60, nextCheckSeconds: 0 });
  });
  expect(await prepare({ attendedStreams: 1 })).toMatchObject(refusal);
  expect(await prepare({ watchMinutes: 10 })).toMatchObject({ ok: true });
});
