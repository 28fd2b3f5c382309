import { and, eq, sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { is } from '#db/dialect.ts';
import { twitchAccounts } from '#db/schema/account.ts';
import { items } from '#db/schema/item.ts';
import { raffles } from '#db/schema/raffle.ts';
import { users } from '#db/schema/user.ts';
import { newId } from '#domain/kernel/id.ts';
import { hour, minute, second } from '#domain/kernel/time.ts';
import { cancelRaffle } from '#domain/raffle/cancel-raffle.ts';
import { closeRaffle } from '#domain/raffle/close-raffle.ts';
import { getRaffle } from '#domain/raffle/get-raffle.ts';
import { prepareRaffle } from '#domain/raffle/prepare-raffle.ts';
import { readRunningRaffle } from '#domain/raffle/read-running.ts';
import { recordAnnounced } from '#domain/raffle/record-announced.ts';
import { recordEntries } from '#domain/raffle/record-entries.ts';
import { ANNOUNCED_FOR_MS, GRACE_MS, runRaffles } from '#domain/raffle/run-raffles.ts';
import { startRaffle } from '#domain/raffle/start-raffle.ts';
import { expirePromises } from '#domain/reward/expire-promises.ts';
import { attachRewards } from '#domain/rule/attach-rewards.ts';
import { nothingAsked } from '#tests/support/conditions.ts';
import { addPerson, addRule, addStreamer, START_MS } from '#tests/support/fixtures.ts';
import { checkInvariants } from '#tests/support/invariants.ts';
import {
  addRaffle,
  drawRaffle,
  enter,
  entriesOf,
  placesOf,
  postLines,
  raffleDraft,
  raffleOf,
  rewardsOfRaffle,
  stock,
  takeLines,
} from '#tests/support/raffles.ts';
import { db, setScene, streamer } from '#tests/support/scene.ts';

setScene();

const END_MS = START_MS + 5 * minute;
const people = (amount: number) => Promise.all(Array.from({ length: amount }, () => addPerson(db)));
const idsOf = (given: readonly { twitchId: string }[]) => given.map(({ twitchId }) => twitchId);
const enterAll = (raffleId: string, twitchIds: readonly string[]) =>
  enter(db, raffleId, { channelId: streamer.twitchId, twitchIds });

test('A raffle takes entries, tells its list, draws, and promises the item to the first place', async () => {
  const viewers = await people(3);
  const raffleId = await addRaffle(db, streamer);
  expect(await enterAll(raffleId, idsOf(viewers))).toBe(3);
  expect(await enterAll(raffleId, idsOf(viewers))).toBe(0);
  const { listHash } = await raffleOf(db, raffleId);
  await runRaffles(db, END_MS + GRACE_MS - 1);
  expect((await raffleOf(db, raffleId)).state).toBe('running');
  await runRaffles(db, END_MS + GRACE_MS);
  expect(await raffleOf(db, raffleId)).toMatchObject({ state: 'sealed', listHash });
  const posted = await postLines(db, END_MS + GRACE_MS);
  expect(posted.at(-1)?.raffle).toMatchObject({ kind: 'sealed', entries: 3, listHash });
  await runRaffles(db, END_MS + GRACE_MS + ANNOUNCED_FOR_MS - 1);
  expect((await raffleOf(db, raffleId)).state).toBe('sealed');
  await runRaffles(db, END_MS + GRACE_MS + ANNOUNCED_FOR_MS);
  const [first, second_] = await placesOf(db, raffleId);
  expect(first).toMatchObject({ place: 1, placeState: 'promised' });
  expect(second_).toMatchObject({ place: 2, placeState: 'waiting' });
  expect(await rewardsOfRaffle(db, raffleId)).toMatchObject([
    { state: 'promised', twitchId: first?.twitchId },
  ]);
  await checkInvariants(db, END_MS + GRACE_MS + ANNOUNCED_FOR_MS, new Map([[streamer.userId, 1]]));
});

test('The draw waits until Twitch took the line with the hash, and for three minutes at most', async () => {
  const [viewer] = await people(1);
  const other = await addStreamer(db);
  const taken = await addRaffle(db, streamer);
  const lost = await addRaffle(db, other);
  await enterAll(taken, [viewer!.twitchId]);
  await enter(db, lost, { channelId: other.twitchId, twitchIds: [viewer!.twitchId] });
  const sealedAtMs = END_MS + GRACE_MS;
  await runRaffles(db, sealedAtMs);
  const statesAt = async (nowMs: number) => {
    await runRaffles(db, nowMs);
    return [(await raffleOf(db, taken)).state, (await raffleOf(db, lost)).state];
  };
  // The bot has both lines, and neither is in a chat yet.
  const kinds = (await takeLines(db, sealedAtMs)).map(({ raffle }) => raffle?.kind);
  expect(kinds).toEqual(['sealed', 'sealed']);
  expect(await statesAt(sealedAtMs + minute)).toEqual(['sealed', 'sealed']);
  await recordAnnounced(db, { raffleId: taken }, sealedAtMs + minute);
  await recordAnnounced(db, { raffleId: taken }, sealedAtMs + minute + second);
  expect(await statesAt(sealedAtMs + minute + ANNOUNCED_FOR_MS - 1)).toEqual(['sealed', 'sealed']);
  expect(await statesAt(sealedAtMs + minute + ANNOUNCED_FOR_MS)).toEqual(['drawn', 'sealed']);
  expect(await statesAt(sealedAtMs + 3 * minute - 1)).toEqual(['drawn', 'sealed']);
  expect(await statesAt(sealedAtMs + 3 * minute)).toEqual(['drawn', 'drawn']);
  await recordAnnounced(db, { raffleId: lost }, sealedAtMs + 4 * minute);
  const announced = async (raffleId: string) => (await getRaffle(db.read, raffleId))?.announcedAtMs;
  expect([await announced(taken), await announced(lost)]).toEqual([sealedAtMs + minute, null]);
});

test('An item of a raffle is promised to nobody else, and comes back when the raffle is cancelled', async () => {
  const raffleId = await addRaffle(db, streamer);
  const ruleId = await addRule(db, streamer, { rewards: 0 });
  const kinds = [{ appId: 730, marketHashName: 'Demo case', quantity: 1 }];
  const attach = () => attachRewards(db, { ruleId, userId: streamer.userId, kinds }, START_MS);
  expect(await attach()).toEqual({ ok: false, code: 'notEnough' });
  expect(await cancelRaffle(db, { raffleId }, START_MS)).toEqual({ ok: true });
  expect(await cancelRaffle(db, { raffleId }, START_MS)).toEqual({ ok: true });
  expect(await raffleOf(db, raffleId)).toMatchObject({ state: 'cancelled', endReason: 'byOwner' });
  expect(await attach()).toMatchObject({ ok: true, attached: 1 });
});

test('A raffle that nobody entered gives its items back', async () => {
  const raffleId = await addRaffle(db, streamer, { winners: 2 });
  await drawRaffle(db);
  expect(await raffleOf(db, raffleId)).toMatchObject({ state: 'cancelled', endReason: 'noEntries' });
  expect((await rewardsOfRaffle(db, raffleId)).map(({ state }) => state)).toEqual(['recalled', 'recalled']);
});

test('With fewer entries than winners the rest comes back, and the raffle is over after the claims', async () => {
  const viewers = await people(1);
  const raffleId = await addRaffle(db, streamer, { winners: 3 });
  await enterAll(raffleId, idsOf(viewers));
  await drawRaffle(db);
  const states = (await rewardsOfRaffle(db, raffleId)).map(({ state }) => state);
  expect(states.sort()).toEqual(['promised', 'recalled', 'recalled']);
  expect((await raffleOf(db, raffleId)).state).toBe('drawn');
});

test('Who does not claim in time passes the item to the next place of the same draw', async () => {
  const viewers = await people(3);
  const raffleId = await addRaffle(db, streamer);
  await enterAll(raffleId, idsOf(viewers));
  const drawnAtMs = await drawRaffle(db);
  const before = await placesOf(db, raffleId);
  for (const turn of [1, 2, 3]) {
    const lateMs = drawnAtMs + turn * 24 * hour;
    await expirePromises(db, lateMs, Date.now());
    await runRaffles(db, lateMs);
    await checkInvariants(db, lateMs, new Map([[streamer.userId, 1]]));
    const promised = (await rewardsOfRaffle(db, raffleId)).filter(({ state }) => state === 'promised');
    expect(idsOf(promised as { twitchId: string }[])).toEqual(
      before.slice(turn, turn + 1).map((e) => e.twitchId),
    );
  }
  expect(idsOf(await placesOf(db, raffleId))).toEqual(idsOf(before));
  expect((await raffleOf(db, raffleId)).state).toBe('over');
});

test('A winner without an account keeps the place for the claim window, and an account gets it the item', async () => {
  const raffleId = await addRaffle(db, streamer);
  await enterAll(raffleId, ['900001', '900002']);
  const drawnAtMs = await drawRaffle(db);
  const [first, next] = await placesOf(db, raffleId);
  expect(first).toMatchObject({ placeState: 'held', heldUntilMs: drawnAtMs + 24 * hour });
  expect(await rewardsOfRaffle(db, raffleId)).toMatchObject([{ state: 'free' }]);
  await runRaffles(db, drawnAtMs + 24 * hour);
  const viewer = await addPerson(db);
  await db.transaction(async (tx) => {
    await tx
      .update(twitchAccounts)
      .set({ twitchId: next?.twitchId ?? '' })
      .where(eq(twitchAccounts.userId, viewer.userId));
  });
  await runRaffles(db, drawnAtMs + 25 * hour);
  expect(await placesOf(db, raffleId)).toMatchObject([
    { placeState: 'passed', passReason: 'notTaken' },
    { placeState: 'promised' },
  ]);
  expect(await rewardsOfRaffle(db, raffleId)).toMatchObject([
    { userId: viewer.userId, claimUntilMs: drawnAtMs + 48 * hour },
  ]);
});

test('Lines count by their own time, from the start to the end', async () => {
  const raffleId = await addRaffle(db, streamer);
  const entrants = [
    { twitchId: '1001', name: 'early', enteredAtMs: START_MS - 1 },
    { twitchId: '1003', name: 'last', enteredAtMs: END_MS - 1 },
    { twitchId: '1002', name: 'first', enteredAtMs: START_MS },
    { twitchId: '1004', name: 'late', enteredAtMs: END_MS },
  ];
  const channelId = streamer.twitchId;
  expect(await recordEntries(db, { raffleId, channelId, entrants }, END_MS + 2 * second)).toBe(2);
  expect(idsOf(await entriesOf(db, raffleId))).toEqual(['1002', '1003']);
});

test('The streamer, excluded viewers and recent winners are left out', async () => {
  const [winner, other] = await people(2);
  const first = await addRaffle(db, streamer);
  await enterAll(first, [winner!.twitchId]);
  const drawnAtMs = await drawRaffle(db);
  await stock(db, streamer, 1);
  const draft = raffleDraft({ winnersOutDays: 30 });
  const requestId = newId(drawnAtMs);
  await prepareRaffle(db, { requestId, userId: streamer.userId, draft }, drawnAtMs);
  await startRaffle(db, { raffleId: requestId }, drawnAtMs);
  const twitchIds = [winner!.twitchId, other!.twitchId, streamer.twitchId];
  await enter(db, requestId, { channelId: streamer.twitchId, twitchIds, nowMs: drawnAtMs });
  expect(idsOf(await entriesOf(db, requestId))).toEqual([other!.twitchId]);
});

test('The conditions are checked at the entry and again at the draw', async () => {
  const conditions = { ...nothingAsked, followDays: 1 };
  const [follower, stranger] = await people(2);
  const follow = (twitchId: string, followedAtMs: number) =>
    db.transaction(async (tx) => {
      const { follows } = await import('#db/schema/channel.ts');
      await tx.insert(follows).values({ channelId: streamer.twitchId, twitchId, followedAtMs });
    });
  await follow(follower!.twitchId, START_MS - 48 * hour);
  const raffleId = await addRaffle(db, streamer, { conditions });
  await enterAll(raffleId, [follower!.twitchId, stranger!.twitchId]);
  expect(idsOf(await entriesOf(db, raffleId))).toEqual([follower!.twitchId]);
  await db.transaction(async (tx) => {
    const { follows } = await import('#db/schema/channel.ts');
    await tx.delete(follows).where(eq(follows.twitchId, follower!.twitchId));
  });
  await drawRaffle(db);
  expect(await placesOf(db, raffleId)).toMatchObject([{ placeState: 'passed', passReason: 'unfit' }]);
  expect((await raffleOf(db, raffleId)).state).toBe('over');
});

test('Two Twitch accounts of one person win one item', async () => {
  const [viewer] = await people(1);
  const raffleId = await addRaffle(db, streamer, { winners: 2 });
  await enterAll(raffleId, [viewer!.twitchId, '900009']);
  const drawnAtMs = await drawRaffle(db);
  await db.transaction(async (tx) => {
    await tx
      .update(twitchAccounts)
      .set({ twitchId: '900009' })
      .where(eq(twitchAccounts.userId, viewer!.userId));
  });
  await runRaffles(db, drawnAtMs + hour);
  const places = await placesOf(db, raffleId);
  expect(places.map(({ placeState, passReason }) => passReason ?? placeState).sort()).toEqual([
    'hasOne',
    'promised',
  ]);
});

test('One raffle at a time, and paid entry is refused', async () => {
  await addRaffle(db, streamer);
  await stock(db, streamer, 3);
  const prepare = (facts: Parameters<typeof raffleDraft>[0], paidDrawsAllowed = false) =>
    prepareRaffle(
      db,
      { requestId: newId(START_MS), userId: streamer.userId, draft: raffleDraft(facts), paidDrawsAllowed },
      START_MS,
    );
  expect(await prepare({})).toEqual({ ok: false, code: 'raffleLive' });
  const points = { ...nothingAsked, pointsCost: 500 };
  const subscription = { ...nothingAsked, subscriberTier: 1 as const };
  expect(await prepare({ conditions: points }, true)).toEqual({ ok: false, code: 'paidDraw' });
  expect(await prepare({ conditions: subscription })).toEqual({ ok: false, code: 'paidDraw' });
  expect(await prepare({ keyword: '!claim' })).toEqual({ ok: false, code: 'keywordTaken' });
  expect(await prepare({ keyword: 'two words' })).toEqual({ ok: false, code: 'keywordUnfit' });
});

test('Two processes that draw at once give one result', async () => {
  const viewers = await people(4);
  const raffleId = await addRaffle(db, streamer, { winners: 2 });
  await enterAll(raffleId, idsOf(viewers));
  const endedAtMs = START_MS + minute;
  await closeRaffle(db, { raffleId }, endedAtMs);
  await Promise.all([1, 2].map(() => runRaffles(db, endedAtMs + GRACE_MS)));
  const lines = await postLines(db, endedAtMs + GRACE_MS);
  expect(lines.filter(({ raffle }) => raffle?.kind === 'sealed')).toHaveLength(1);
  const drawMs = endedAtMs + GRACE_MS + ANNOUNCED_FOR_MS;
  await Promise.all([1, 2, 3].map(() => runRaffles(db, drawMs)));
  const announced = await postLines(db, drawMs);
  expect(announced.filter(({ raffle }) => raffle?.kind === 'drawn')).toHaveLength(1);
  expect((await rewardsOfRaffle(db, raffleId)).map(({ state }) => state)).toEqual(['promised', 'promised']);
  await checkInvariants(db, drawMs, new Map([[streamer.userId, 2]]));
});

test('The running raffle of a channel names only winners who agreed', async () => {
  const [shown, hidden] = await people(2);
  await db.transaction(async (tx) => {
    await tx.update(users).set({ hidesName: true }).where(eq(users.id, hidden!.userId));
  });
  const raffleId = await addRaffle(db, streamer, { winners: 2 });
  await enterAll(raffleId, [shown!.twitchId, hidden!.twitchId]);
  const channelId = streamer.twitchId;
  expect(await readRunningRaffle(db.read, { channelId })).toMatchObject({
    keyword: 'redline',
    item: 'Demo case',
    entries: 2,
    endsAtMs: END_MS,
    won: [],
  });
  await drawRaffle(db);
  const { won = [] } = (await readRunningRaffle(db.read, { channelId })) ?? {};
  expect(won.filter(({ name }) => name === null)).toHaveLength(1);
  expect(won.filter(({ name }) => name?.startsWith('Demo_Person'))).toHaveLength(1);
});

test('An item that is missing at the draw is kept for its place', async () => {
  const [viewer] = await people(1);
  const raffleId = await addRaffle(db, streamer);
  await enterAll(raffleId, [viewer!.twitchId]);
  const setState = (from: 'held' | 'missing', to: 'held' | 'missing') =>
    db.transaction(async (tx) => {
      await tx
        .update(items)
        .set({ state: to })
        .where(and(eq(items.ownerId, streamer.userId), is(items.state, from)));
    });
  await setState('held', 'missing');
  const drawnAtMs = await drawRaffle(db);
  expect(await placesOf(db, raffleId)).toMatchObject([{ placeState: 'held' }]);
  await setState('missing', 'held');
  await runRaffles(db, drawnAtMs + minute);
  expect(await placesOf(db, raffleId)).toMatchObject([{ placeState: 'promised' }]);
});

test('A raffle that fails holds no other one up, and one with unwritten entries stays open', async () => {
  const [viewer] = await people(1);
  const other = await addStreamer(db);
  const broken = await addRaffle(db, streamer);
  const sound = await addRaffle(db, other);
  for (const [raffleId, channelId] of [
    [broken, streamer.twitchId],
    [sound, other.twitchId],
  ] as const)
    await enter(db, raffleId, { channelId, twitchIds: [viewer!.twitchId] });
  await db.transaction(async (tx) => {
    await tx.update(raffles).set({ seed: sql`'sealed:broken'` }).where(eq(raffles.id, broken));
  });
  const failed: string[] = [];
  const round = { onError: (_: unknown, raffleId: string) => failed.push(raffleId) };
  const unwritten = new Set([sound]);
  const stateOf = async () =>
    (await db.read.select({ state: raffles.state }).from(raffles).where(eq(raffles.id, sound)))[0]?.state;
  await runRaffles(db, END_MS + GRACE_MS, { ...round, unwritten });
  expect(await stateOf()).toBe('running');
  await runRaffles(db, END_MS + GRACE_MS, round);
  expect(await stateOf()).toBe('sealed');
  expect(failed).toEqual([broken, broken]);
});
