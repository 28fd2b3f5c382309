import { eq } from 'drizzle-orm';
import { expect, test, vi } from 'vitest';
import { follows } from '#db/schema/channel.ts';
import { minute } from '#domain/kernel/time.ts';
import { GRACE_MS, runRaffles, SERVE_EVERY_MS } from '#domain/raffle/run-raffles.ts';
import { nothingAsked } from '#tests/support/conditions.ts';
import { addPerson, START_MS } from '#tests/support/fixtures.ts';
import { recordFollows } from '#tests/support/follows.ts';
import { addRaffle, drawRaffle, enter, placesOf, raffleOf } from '#tests/support/raffles.ts';
import { db, setScene, streamer } from '#tests/support/scene.ts';

setScene();

const enterAll = (raffleId: string, twitchIds: readonly string[]) =>
  enter(db, raffleId, { channelId: streamer.twitchId, twitchIds });

test('A drawn raffle whose items are all promised is looked at only after a change', async () => {
  const viewer = await addPerson(db);
  const raffleId = await addRaffle(db, streamer);
  await enterAll(raffleId, [viewer.twitchId]);
  const drawnAtMs = await drawRaffle(db);
  expect((await raffleOf(db, raffleId)).state).toBe('drawn');
  expect(await runRaffles(db, drawnAtMs + minute)).toBeNull();
});

test('A held place is looked at in the rounds that serve', async () => {
  const raffleId = await addRaffle(db, streamer);
  await enterAll(raffleId, ['900001']);
  const drawnAtMs = await drawRaffle(db);
  const lateMs = drawnAtMs + 24 * 60 * minute;
  expect(await runRaffles(db, lateMs, { serves: false })).toBe(SERVE_EVERY_MS);
  expect(await placesOf(db, raffleId)).toMatchObject([{ placeState: 'held' }]);
  await runRaffles(db, lateMs);
  expect(await placesOf(db, raffleId)).toMatchObject([{ placeState: 'passed', passReason: 'notTaken' }]);
});

test('A raffle that runs on is left alone in most rounds, and closed in time in each of them', async () => {
  const raffleId = await addRaffle(db, streamer, { minutes: 5 });
  await enterAll(raffleId, ['900001']);
  const rest = (nowMs: number) => runRaffles(db, nowMs, { serves: false });
  const dueAtMs = START_MS + 5 * minute + GRACE_MS;
  const read = vi.spyOn(db, 'transaction');
  expect(await rest(START_MS + minute)).toBe(SERVE_EVERY_MS);
  expect(await rest(dueAtMs - 1)).toBe(1);
  expect(read).not.toHaveBeenCalled();
  read.mockRestore();
  await rest(dueAtMs);
  expect((await raffleOf(db, raffleId)).state).toBe('sealed');
});

test('A round passes over 250 places at most, and the next one goes on', async () => {
  const twitchIds = Array.from({ length: 300 }, (_, index) => String(700_000 + index));
  const followers = twitchIds.map((twitchId) => ({ twitchId, followedAtMs: 0 }));
  await recordFollows(db, { channelId: streamer.twitchId, followers, complete: false });
  const conditions = { ...nothingAsked, followDays: 1 };
  const raffleId = await addRaffle(db, streamer, { conditions, minutes: 20 });
  await enterAll(raffleId, twitchIds);
  await db.transaction(async (tx) => {
    await tx.delete(follows).where(eq(follows.channelId, streamer.twitchId));
  });
  const drawnAtMs = await drawRaffle(db, START_MS + 20 * minute);
  const passed = async () =>
    (await placesOf(db, raffleId)).filter(({ passReason }) => passReason === 'unfit').length;
  expect(await passed()).toBe(250);
  await runRaffles(db, drawnAtMs + minute);
  expect(await passed()).toBe(300);
  expect((await raffleOf(db, raffleId)).state).toBe('over');
});
