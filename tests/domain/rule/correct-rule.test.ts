import { eq } from 'drizzle-orm';
import { beforeEach, expect, test } from 'vitest';
import { watchTimes } from '#db/schema/channel.ts';
import { rewards } from '#db/schema/reward.ts';
import { qualifications, ruleCorrections, rules } from '#db/schema/rule.ts';
import { newId } from '#domain/kernel/id.ts';
import { day, hour, minute } from '#domain/kernel/time.ts';
import { closeRule } from '#domain/rule/close-rule.ts';
import { type Correction, correctRule } from '#domain/rule/correct-rule.ts';
import { evaluateChannel } from '#domain/rule/evaluate-channel.ts';
import { listCorrections } from '#domain/rule/list-corrections.ts';
import { addPerson, addRule, type Person, START_MS } from '#tests/support/fixtures.ts';
import { recordFollows } from '#tests/support/follows.ts';
import { rewardsOf } from '#tests/support/looking.ts';
import { db, setScene, streamer } from '#tests/support/scene.ts';
import { watchFor } from '#tests/support/watching.ts';

setScene();
let channelId: string;
beforeEach(async () => {
  channelId = streamer.twitchId;
});

const watch = (person: Person, minutes: number) => watchFor(db, channelId, [[person.twitchId, minutes * 60]]);
const ruleOf = async (ruleId: string) => (await db.read.select().from(rules).where(eq(rules.id, ruleId)))[0]!;
const listed = async (ruleId: string) =>
  (await db.read.select().from(qualifications).where(eq(qualifications.ruleId, ruleId)))
    .map(({ twitchId }) => twitchId)
    .sort();
const promisedOn = async (ruleId: string) =>
  (await rewardsOf(db, ruleId)).flatMap(({ twitchId }) => (twitchId === null ? [] : [twitchId])).sort();

/** The answer to a correction that was made. */
const corrected = { ok: true, repeated: false };

async function correct(
  ruleId: string,
  change: Partial<Correction>,
  { nowMs = START_MS, requestId = newId(nowMs), userId = streamer.userId } = {},
) {
  const wanted = { ...(await ruleOf(ruleId)), ...change };
  return correctRule(db, { requestId, ruleId, userId, wanted }, nowMs);
}

test('A mistyped watch time is corrected: who has watched enough is promised a reward at once', async () => {
  const [watched, halfway] = [await addPerson(db), await addPerson(db)];
  const ruleId = await addRule(db, streamer, { watchMinutes: 600, rewards: 3 });
  await watch(watched, 60);
  await watch(halfway, 30);
  expect(await correct(ruleId, { watchMinutes: 60 })).toEqual(corrected);
  expect(await promisedOn(ruleId)).toEqual([watched.twitchId]);
  await watch(halfway, 30);
  await evaluateChannel(db, channelId, START_MS);
  expect(await promisedOn(ruleId)).toEqual([watched.twitchId, halfway.twitchId].sort());
});

test('Who was promised a reward before gets no second one, and keeps it', async () => {
  const winner = await addPerson(db);
  const ruleId = await addRule(db, streamer, { watchMinutes: 60, rewards: 3 });
  await watch(winner, 60);
  await evaluateChannel(db, channelId, START_MS);
  await correct(ruleId, { watchMinutes: 10, name: 'Winter evenings' });
  await evaluateChannel(db, channelId, START_MS + hour);
  expect(await promisedOn(ruleId)).toEqual([winner.twitchId]);
});

test('Time from before the rule counts after the correction no more than before', async () => {
  const viewer = await addPerson(db);
  await watch(viewer, 500);
  const ruleId = await addRule(db, streamer, { watchMinutes: 600, rewards: 2 });
  await watch(viewer, 59);
  await correct(ruleId, { watchMinutes: 60 });
  expect(await listed(ruleId)).toEqual([]);
  const [{ nextCheckSeconds } = { nextCheckSeconds: 0 }] = await db.read.select().from(watchTimes);
  expect(nextCheckSeconds).toBeLessThanOrEqual(560 * 60);
  await correct(ruleId, { watchScope: 'allTime' });
  expect(await promisedOn(ruleId)).toEqual([viewer.twitchId]);
});

test('Whoever has not reached it yet is checked as soon as they do', async () => {
  const [fresh, earlier] = [await addPerson(db), await addPerson(db)];
  await watch(earlier, 500);
  const ruleId = await addRule(db, streamer, { watchMinutes: 600, rewards: 0 });
  await watch(fresh, 5);
  const later = 1000 * 60 * 60;
  await db.transaction(async (tx) => {
    await tx.update(watchTimes).set({ nextCheckSeconds: later });
  });
  await correct(ruleId, { watchMinutes: 60 });
  const rows = await db.read.select().from(watchTimes);
  const next = new Map(rows.map(({ twitchId, nextCheckSeconds }) => [twitchId, nextCheckSeconds]));
  expect([next.get(fresh.twitchId), next.get(earlier.twitchId)]).toEqual([60 * 60, 560 * 60]);
});

test('A longer time to claim also holds for what is promised already', async () => {
  const viewer = await addPerson(db);
  const ruleId = await addRule(db, streamer, { watchMinutes: 10, rewards: 2, claimTimeoutHours: 72 });
  await watch(viewer, 10);
  await evaluateChannel(db, channelId, START_MS);
  await correct(ruleId, { claimTimeoutHours: 96 }, { nowMs: START_MS + hour });
  const windows = (await rewardsOf(db, ruleId)).map(({ claimUntilMs, claimShiftedMs }) => ({
    claimUntilMs,
    claimShiftedMs,
  }));
  expect(windows.sort((a, b) => (b.claimUntilMs ?? 0) - (a.claimUntilMs ?? 0))).toEqual([
    { claimUntilMs: START_MS + 96 * hour, claimShiftedMs: 0 },
    { claimUntilMs: null, claimShiftedMs: 0 },
  ]);
});

test('A condition can be dropped while another one stays', async () => {
  const follower = await addPerson(db);
  const ruleId = await addRule(db, streamer, { watchMinutes: 600, followDays: 7, rewards: 1 });
  const followers = [{ twitchId: follower.twitchId, followedAtMs: START_MS - 8 * day }];
  await recordFollows(db, { channelId, followers, complete: false });
  expect(await correct(ruleId, { watchMinutes: null, followDays: null })).toMatchObject({
    code: 'noCondition',
  });
  expect(await correct(ruleId, { watchMinutes: null })).toEqual(corrected);
  expect(await promisedOn(ruleId)).toEqual([follower.twitchId]);
});

/** Promises a reward of the rule, whatever it asks for. */
async function promiseOne(ruleId: string): Promise<void> {
  const { userId, twitchId } = await addPerson(db);
  const promise = { state: 'promised' as const, twitchId, userId, promisedAtMs: START_MS };
  await db.transaction((tx) =>
    tx
      .update(rewards)
      .set({ ...promise, claimUntilMs: START_MS + hour })
      .where(eq(rewards.ruleId, ruleId)),
  );
}

const asksALot = {
  ...{ watchMinutes: 60, followDays: 7, subscriberTier: 2 as const, attendedStreams: 3, ofLastStreams: 5 },
  ...{ claimTimeoutHours: 72, rewards: 1 },
};

const harder: [string, Partial<Correction>][] = [
  ['more watch time', { watchMinutes: 61 }],
  ['a longer follow', { followDays: 8 }],
  ['a higher tier', { subscriberTier: 3 }],
  ['more streams', { attendedStreams: 4 }],
  ['as many streams of fewer', { ofLastStreams: 4 }],
  ['less time to claim', { claimTimeoutHours: 71 }],
];

test.each(harder)('Once a reward was promised, %s makes it harder, and is refused', async (_, change) => {
  const ruleId = await addRule(db, streamer, asksALot);
  await promiseOne(ruleId);
  const before = await ruleOf(ruleId);
  expect(await correct(ruleId, change)).toMatchObject({ code: 'ruleHarder' });
  expect(await ruleOf(ruleId)).toEqual(before);
});

test.each(harder)('Until a reward is promised, %s is corrected in place', async (_, change) => {
  const ruleId = await addRule(db, streamer, asksALot);
  expect(await correct(ruleId, change)).toEqual(corrected);
  expect(await ruleOf(ruleId)).toMatchObject(change);
});

test('Another kind of draw is corrected until a reward is promised, but not into a paid draw', async () => {
  const ruleId = await addRule(db, streamer, { watchMinutes: 60, rewards: 1 });
  expect(await correct(ruleId, { type: 'random', subscriberTier: 1 })).toMatchObject({ code: 'paidDraw' });
  expect(await correct(ruleId, { type: 'random' })).toEqual(corrected);
  expect((await listCorrections(db, ruleId))[0]).toMatchObject({
    before: { type: 'one' },
    after: { type: 'random' },
  });
  await promiseOne(ruleId);
  expect(await correct(ruleId, { type: 'one' })).toMatchObject({ code: 'ruleHarder' });
});

test('Channel points are neither asked for anew nor dropped, and values that nobody meets are refused', async () => {
  const ruleId = await addRule(db, streamer, { watchMinutes: 60, rewards: 0 });
  expect(await correct(ruleId, { pointsCost: 5 })).toMatchObject({ code: 'pointsFixed' });
  expect(await correct(ruleId, { attendedStreams: 3, ofLastStreams: 2 })).toMatchObject({
    code: 'lastStreamsTooFew',
  });
});

test('Whoever waits and still meets the harder rule keeps their place; the others leave the list', async () => {
  const people = [await addPerson(db), await addPerson(db), await addPerson(db)];
  const [first, second, third] = people as [Person, Person, Person];
  const ruleId = await addRule(db, streamer, { watchMinutes: 30, rewards: 0 });
  for (const [person, minutes] of [
    [second, 45],
    [first, 70],
    [third, 90],
  ] as const)
    await watch(person, minutes);
  await evaluateChannel(db, channelId, START_MS);
  expect(await listed(ruleId)).toHaveLength(3);
  expect(await correct(ruleId, { watchMinutes: 60 }, { nowMs: START_MS + hour })).toEqual(corrected);
  const places = await db.read.select().from(qualifications);
  expect(places.map(({ twitchId, qualifiedAtMs }) => [twitchId, qualifiedAtMs]).sort()).toEqual(
    [
      [first.twitchId, START_MS],
      [third.twitchId, START_MS],
    ].sort(),
  );
});

test('What a rule did not count before counts from the correction on, and what it counted goes on', async () => {
  const [early, late] = [await addPerson(db), await addPerson(db)];
  await watch(early, 500);
  const ruleId = await addRule(db, streamer, { watchMinutes: 60, watchScope: 'allTime', rewards: 2 });
  await db.transaction((tx) => tx.delete(qualifications));
  await db.transaction((tx) =>
    tx.update(rewards).set({ state: 'free', twitchId: null, userId: null, promisedAtMs: null }),
  );
  expect(await correct(ruleId, { watchScope: 'sinceRule' })).toEqual(corrected);
  expect(await listed(ruleId)).toEqual([]);
  await watch(early, 59);
  await watch(late, 30);
  await evaluateChannel(db, channelId, START_MS);
  expect(await listed(ruleId)).toEqual([]);
  // Streams are added; the time since the first correction still counts.
  expect(await correct(ruleId, { attendedStreams: 1 })).toEqual(corrected);
  expect(await correct(ruleId, { attendedStreams: null })).toEqual(corrected);
  await watch(early, 1);
  await watch(late, 30);
  await evaluateChannel(db, channelId, START_MS);
  expect(await promisedOn(ruleId)).toEqual([early.twitchId, late.twitchId].sort());
});

test('Counting from the rule’s start is harder than counting all time, and so is a condition more', async () => {
  const ruleId = await addRule(db, streamer, { watchMinutes: 60, watchScope: 'allTime', rewards: 1 });
  await promiseOne(ruleId);
  expect(await correct(ruleId, { watchScope: 'sinceRule' })).toMatchObject({ code: 'ruleHarder' });
  expect(await correct(ruleId, { watchMinutes: 1, followDays: 1 })).toMatchObject({ code: 'ruleHarder' });
});

test('Old and new values are kept, and a repeated request corrects nothing more', async () => {
  const ruleId = await addRule(db, streamer, { watchMinutes: 60, rewards: 0, name: 'Winter marathon' });
  const requestId = newId(START_MS);
  const change = { watchMinutes: 45, name: 'Winter evenings' };
  await correct(ruleId, change, { requestId, nowMs: START_MS + minute });
  expect(await correct(ruleId, { watchMinutes: 5 }, { requestId, nowMs: START_MS + hour })).toEqual({
    ok: true,
    repeated: true,
  });
  expect(await db.read.select().from(ruleCorrections)).toEqual([
    {
      id: requestId,
      ruleId,
      atMs: START_MS + minute,
      afterDraw: 0,
      before: { name: 'Winter marathon', watchMinutes: 60 },
      after: { name: 'Winter evenings', watchMinutes: 45 },
    },
  ]);
  expect((await ruleOf(ruleId)).watchMinutes).toBe(45);
});

test('Corrections are published in the order in which they were made, not in that of their forms', async () => {
  const ruleId = await addRule(db, streamer, { watchMinutes: 60, rewards: 0 });
  const [first, second, third] = [newId(START_MS), newId(START_MS + minute), newId(START_MS + hour)];
  const nowMs = START_MS + 2 * hour;
  await correct(ruleId, { watchMinutes: 45 }, { requestId: third, nowMs });
  // The others came sooner and waited for the first one to end.
  await correct(ruleId, { watchMinutes: 30 }, { requestId: second, nowMs: nowMs - 1 });
  await correct(ruleId, { watchMinutes: 10 }, { requestId: first, nowMs: nowMs - 2 });
  const corrections = await listCorrections(db, ruleId);
  expect(
    corrections.map(({ id, atMs, before, after }) => [id, atMs, before.watchMinutes, after.watchMinutes]),
  ).toEqual([
    [first, nowMs + 2, 30, 10],
    [second, nowMs + 1, 45, 30],
    [third, nowMs, 60, 45],
  ]);
});

test('Nothing to correct, a closed rule and somebody else’s rule are refused', async () => {
  const other = await addPerson(db);
  const ruleId = await addRule(db, streamer, { watchMinutes: 60, rewards: 0 });
  expect(await correct(ruleId, {})).toMatchObject({ code: 'nothingCorrected' });
  expect(await correct(ruleId, { watchMinutes: 5 }, { userId: other.userId })).toMatchObject({
    code: 'notFound',
  });
  await closeRule(db, { ruleId, userId: streamer.userId }, START_MS);
  expect(await correct(ruleId, { watchMinutes: 5 })).toMatchObject({ code: 'ruleClosed' });
});

test('From when time counts is no change without time to watch', async () => {
  const ruleId = await addRule(db, streamer, { watchMinutes: 60, watchScope: 'allTime', rewards: 0 });
  expect(await correct(ruleId, { watchMinutes: null, watchScope: 'sinceRule', followDays: 3 })).toEqual(
    corrected,
  );
  expect(await ruleOf(ruleId)).toMatchObject({ watchMinutes: null, watchScope: 'allTime' });
  expect(await correct(ruleId, { watchScope: 'sinceRule' })).toMatchObject({ code: 'nothingCorrected' });
});

test('A list that Twitch was not asked for takes nobody off the line', async () => {
  const ruleId = await addRule(db, streamer, { watchMinutes: 30, rewards: 0 });
  const people = [await addPerson(db), await addPerson(db), await addPerson(db)];
  for (const [place, person] of people.entries()) {
    await watch(person, 40 + place);
    await evaluateChannel(db, channelId, START_MS + place);
  }
  const ids = people.map(({ twitchId }) => twitchId).sort();
  const places = () => db.read.select().from(qualifications).where(eq(qualifications.ruleId, ruleId));
  const before = await places();
  const read = (readAtMs: number, followers: Parameters<typeof recordFollows>[1]['followers']) =>
    recordFollows(db, { channelId, followers, complete: true, readAtMs });
  // It was read for an earlier rule.
  await read(START_MS - day, []);
  expect(await correct(ruleId, { followDays: 7, subscriberTier: 1 })).toEqual(corrected);
  expect(await places()).toEqual(before);
  // It is not read again yet, and only the watch time decides.
  expect(await correct(ruleId, { watchMinutes: 41 }, { nowMs: START_MS + hour })).toEqual(corrected);
  expect(await listed(ruleId)).toEqual(ids.filter((id) => id !== people[0]!.twitchId));
  await read(START_MS + 2 * hour, [{ twitchId: people[2]!.twitchId, followedAtMs: START_MS - 9 * day }]);
  expect(await correct(ruleId, { followDays: 8 }, { nowMs: START_MS + 3 * hour })).toEqual(corrected);
  expect(await listed(ruleId)).toEqual([people[2]!.twitchId]);
});
