import { eq } from 'drizzle-orm';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { users } from '#db/schema/user.ts';
import { newId } from '#domain/kernel/id.ts';
import { minute, second } from '#domain/kernel/time.ts';
import { firstIdAt, readEvents } from '#domain/outbox/read-events.ts';
import { readMoments } from '#domain/overlay/read-moments.ts';
import { readShownRaffle } from '#domain/overlay/read-shown-raffle.ts';
import { cancelRaffle } from '#domain/raffle/cancel-raffle.ts';
import { prepareRaffle } from '#domain/raffle/prepare-raffle.ts';
import { runRaffles } from '#domain/raffle/run-raffles.ts';
import { openTestDatabase, type TestDatabase } from '#tests/support/database.ts';
import { addBot, addPerson, addStreamer, type Person, START_MS } from '#tests/support/fixtures.ts';
import {
  addRaffle,
  drawRaffle,
  enter,
  placesOf,
  raffleDraft,
  raffleOf,
  stock,
} from '#tests/support/raffles.ts';

let db: TestDatabase;
let streamer: Person;
beforeEach(async () => {
  db = await openTestDatabase();
  await addBot(db);
  streamer = await addStreamer(db);
});
afterEach(() => db[Symbol.asyncDispose]());

const shownAt = (nowMs: number) => readShownRaffle(db.read, streamer, nowMs);
const twitchIds = (people: readonly Person[]) => people.map(({ twitchId }) => twitchId);

test('A raffle is shown from its start, with its entries and the hash that was published last', async () => {
  const raffleId = await addRaffle(db, streamer, { winners: 2 });
  expect(await shownAt(START_MS)).toEqual({
    state: 'running',
    keyword: 'redline',
    item: { name: 'Demo case', iconUrl: expect.any(String), rarityTag: expect.any(String) },
    entries: 0,
    endsAtMs: START_MS + 5 * minute,
    published: null,
    won: [],
  });
  const people = [await addPerson(db), await addPerson(db), await addPerson(db)];
  const { twitchId: channelId } = streamer;
  await enter(db, raffleId, { channelId, twitchIds: twitchIds(people.slice(0, 2)) });
  await runRaffles(db, START_MS + 30 * second);
  const { listHash } = await raffleOf(db, raffleId);
  await enter(db, raffleId, {
    channelId,
    twitchIds: twitchIds(people.slice(2)),
    nowMs: START_MS + 31 * second,
  });
  expect(await shownAt(START_MS + 40 * second)).toMatchObject({
    entries: 3,
    published: { entries: 2, hash: listHash },
  });
});

test('A closed list is shown with its last hash, and the winners for a minute: by name only who agrees', async () => {
  const raffleId = await addRaffle(db, streamer, { winners: 2 });
  const [named, hidden] = [await addPerson(db), await addPerson(db)];
  await db.transaction((tx) => tx.update(users).set({ hidesName: true }).where(eq(users.id, hidden.userId)));
  await enter(db, raffleId, { channelId: streamer.twitchId, twitchIds: twitchIds([named, hidden]) });
  const drawnAtMs = await drawRaffle(db);
  const { listHash } = await raffleOf(db, raffleId);
  const places = await placesOf(db, raffleId);
  const nameOf = (twitchId: string) =>
    twitchId === named.twitchId ? `Demo_Person_${Number(twitchId) - 50_000}` : null;
  expect(await shownAt(drawnAtMs)).toMatchObject({
    state: 'drawn',
    entries: 2,
    published: { entries: 2, hash: listHash },
    won: places.map(({ twitchId }) => nameOf(twitchId)),
  });
  expect(await shownAt(drawnAtMs + minute - 1)).not.toBeNull();
  expect(await shownAt(drawnAtMs + minute)).toBeNull();
});

test('Winners stay while the next raffle is prepared, and cancelled', async () => {
  const drawnId = await addRaffle(db, streamer);
  await enter(db, drawnId, { channelId: streamer.twitchId, twitchIds: ['900001'] });
  const drawnAtMs = await drawRaffle(db);
  const shown = await shownAt(drawnAtMs);
  expect(shown).toMatchObject({ state: 'drawn', entries: 1 });
  await stock(db, streamer, 1);
  const nextId = (await raffleIdOfPrepared()) ?? '';
  expect(nextId > drawnId).toBe(true);
  expect(await shownAt(drawnAtMs)).toEqual(shown);
  await cancelRaffle(db, { raffleId: nextId }, START_MS);
  expect(await shownAt(drawnAtMs)).toEqual(shown);
});

test('What is only prepared, or cancelled, is not shown', async () => {
  await stock(db, streamer, 1);
  const raffleId = (await raffleIdOfPrepared()) ?? '';
  expect(await shownAt(START_MS)).toBeNull();
  await cancelRaffle(db, { raffleId }, START_MS);
  expect(await shownAt(START_MS)).toBeNull();
});

async function raffleIdOfPrepared(): Promise<string | null> {
  const request = { requestId: newId(START_MS), userId: streamer.userId, draft: raffleDraft() };
  const prepared = await prepareRaffle(db, request, START_MS);
  return prepared.ok ? prepared.raffleId : null;
}

test('The winner of a raffle is a moment of a draw, and not of a line', async () => {
  const raffleId = await addRaffle(db, streamer);
  await enter(db, raffleId, { channelId: streamer.twitchId, twitchIds: twitchIds([await addPerson(db)]) });
  await drawRaffle(db);
  const changes = await readEvents(db, { afterId: firstIdAt(0), userId: streamer.userId });
  const moments = await readMoments(
    db,
    changes.map(({ id }) => id),
  );
  expect(moments.map(({ kind, ruleName }) => [kind, ruleName])).toEqual([['drawn', '!redline']]);
});
