import { and, eq } from 'drizzle-orm';
import { expect, test } from 'vitest';
import type { Tx } from '#db/database.ts';
import { attendances, follows, stamps, subscribers, watchTimes } from '#db/schema/channel.ts';
import type { Conditions } from '#domain/condition/conditions.ts';
import { newId } from '#domain/kernel/id.ts';
import { day } from '#domain/kernel/time.ts';
import { prepareRaffle } from '#domain/raffle/prepare-raffle.ts';
import { startRaffle } from '#domain/raffle/start-raffle.ts';
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

setScene();

type Viewer = { channelId: string; twitchId: string };

/** A condition of a raffle, a fact that meets it, and one that just does not. */
interface Case {
  name: string;
  asked: Partial<Conditions>;
  meet(tx: Tx, viewer: Viewer): Promise<unknown>;
  miss(tx: Tx, viewer: Viewer): Promise<unknown>;
  table: typeof follows | typeof watchTimes | typeof attendances | typeof subscribers;
}

const attend = (tx: Tx, viewer: Viewer, streams: number) =>
  tx.insert(attendances).values({ ...viewer, streams, streamNumber: 0, fromSeconds: 0, attended: false });
/** Streams with these numbers, as the viewer's first, second and so on. */
const stamp = (tx: Tx, viewer: Viewer, numbers: readonly number[]) =>
  tx
    .insert(stamps)
    .values(numbers.map((streamNumber, index) => ({ ...viewer, number: index + 1, streamNumber })));

const cases: readonly Case[] = [
  {
    name: 'days of following',
    asked: { followDays: 7 },
    meet: (tx, viewer) => tx.insert(follows).values({ ...viewer, followedAtMs: START_MS - 7 * day }),
    miss: (tx, viewer) => tx.insert(follows).values({ ...viewer, followedAtMs: START_MS - 6 * day }),
    table: follows,
  },
  {
    name: 'watch time, whenever it was watched',
    asked: { watchMinutes: 90 },
    meet: (tx, viewer) => tx.insert(watchTimes).values({ ...viewer, seconds: 90 * 60, nextCheckSeconds: 0 }),
    miss: (tx, viewer) =>
      tx.insert(watchTimes).values({ ...viewer, seconds: 90 * 60 - 1, nextCheckSeconds: 0 }),
    table: watchTimes,
  },
  {
    name: 'attended streams',
    asked: { attendedStreams: 3 },
    meet: (tx, viewer) => attend(tx, viewer, 3),
    miss: (tx, viewer) => attend(tx, viewer, 2),
    table: attendances,
  },
  {
    name: 'attended streams among as many in a row',
    asked: { attendedStreams: 3, ofLastStreams: 4 },
    meet: (tx, viewer) => attend(tx, viewer, 3).then(() => stamp(tx, viewer, [2, 4, 5])),
    miss: (tx, viewer) => attend(tx, viewer, 3).then(() => stamp(tx, viewer, [1, 4, 5])),
    table: attendances,
  },
  {
    name: 'a subscription, where the operator allows it',
    asked: { subscriberTier: 2 },
    meet: (tx, viewer) => tx.insert(subscribers).values({ ...viewer, tier: 3 }),
    miss: (tx, viewer) => tx.insert(subscribers).values({ ...viewer, tier: 1 }),
    table: subscribers,
  },
];

test.each(cases)('A raffle can ask for $name, at the entry and again at the draw', async (each) => {
  const { asked, meet, miss, table } = each;
  const channelId = streamer.twitchId;
  const [leaving, staying, nearly, unknown] = await Promise.all([1, 2, 3, 4].map(() => addPerson(db)));
  const viewers = [leaving!, staying!, nearly!, unknown!];
  await db.transaction(async (tx) => {
    for (const { twitchId } of [leaving!, staying!]) await meet(tx, { channelId, twitchId });
    await miss(tx, { channelId, twitchId: nearly!.twitchId });
  });
  await stock(db, streamer, 2);
  const draft = raffleDraft({ winners: 2, conditions: { ...nothingAsked, ...asked } });
  const requestId = newId(START_MS);
  const request = { requestId, userId: streamer.userId, draft, paidDrawsAllowed: true };
  expect(await prepareRaffle(db, request, START_MS)).toMatchObject({ ok: true });
  await readLists(db, streamer, START_MS);
  expect(await startRaffle(db, { raffleId: requestId }, START_MS)).toMatchObject({ ok: true });
  await enter(db, requestId, { channelId, twitchIds: viewers.map(({ twitchId }) => twitchId) });
  const entered = (await entriesOf(db, requestId)).map(({ twitchId }) => twitchId);
  expect(entered).toEqual([leaving!.twitchId, staying!.twitchId]);
  await db.transaction(async (tx) => {
    const own = and(eq(table.channelId, channelId), eq(table.twitchId, leaving!.twitchId));
    await tx.delete(table as typeof follows).where(own);
  });
  await drawRaffle(db);
  const states = new Map(
    (await placesOf(db, requestId)).map(({ twitchId, placeState, passReason }) => [
      twitchId,
      passReason ?? placeState,
    ]),
  );
  expect([states.get(leaving!.twitchId), states.get(staying!.twitchId)]).toEqual(['unfit', 'promised']);
});
