import { beforeEach, expect, test } from 'vitest';
import { qualifications } from '#db/schema/rule.ts';
import { newId } from '#domain/kernel/id.ts';
import { day } from '#domain/kernel/time.ts';
import { type Correction, correctRule } from '#domain/rule/correct-rule.ts';
import { evaluateChannel } from '#domain/rule/evaluate-channel.ts';
import { listCorrections } from '#domain/rule/list-corrections.ts';
import { getRule } from '#domain/rule/list-rules.ts';
import { previewCorrection } from '#domain/rule/preview-correction.ts';
import { addPerson, addRule, type Person, START_MS } from '#tests/support/fixtures.ts';
import { recordFollows } from '#tests/support/follows.ts';
import { db, setScene, streamer } from '#tests/support/scene.ts';
import { watchFor } from '#tests/support/watching.ts';

setScene();
let channelId: string;
beforeEach(async () => {
  channelId = streamer.twitchId;
});

const watch = (person: Person, minutes: number) => watchFor(db, channelId, [[person.twitchId, minutes * 60]]);
const ruleOf = async (ruleId: string) => (await getRule(db, { ruleId, ownerId: streamer.userId }))!;
const listed = () => db.read.$count(qualifications);

async function correct(ruleId: string, change: Partial<Correction>, nowMs = START_MS) {
  const wanted = { ...(await ruleOf(ruleId)), ...change };
  const request = { requestId: newId(nowMs), ruleId, userId: streamer.userId, wanted };
  expect(await correctRule(db, request, nowMs)).toMatchObject({ ok: true });
}

test('The preview counts those who would newly meet the rule, as the correction then finds them', async () => {
  const people = [await addPerson(db), await addPerson(db), await addPerson(db), await addPerson(db)];
  const [won, first, second, none] = people as [Person, Person, Person, Person];
  await watch(first, 500);
  const ruleId = await addRule(db, streamer, { watchMinutes: 100, followDays: 5, rewards: 3 });
  const followers = people.map(({ twitchId }, place) => ({
    twitchId,
    followedAtMs: START_MS - (8 - place) * day,
  }));
  await recordFollows(db, { channelId, followers, complete: true, readAtMs: START_MS });
  await watch(won, 100);
  await watch(first, 60);
  await watch(second, 70);
  await watch(none, 59);
  await evaluateChannel(db, channelId, START_MS);
  const rule = await ruleOf(ruleId);
  const change = { watchMinutes: 60 };
  expect(await previewCorrection(db, { rule, wanted: { ...rule, ...change } }, START_MS)).toEqual({
    ...{ newly: 2, waiting: 0, leaving: 0, free: 2, promised: 1 },
  });
  expect(await listed()).toBe(1);
  await correct(ruleId, change);
  expect(await listed()).toBe(3);
  const after = await ruleOf(ruleId);
  const dropped = { ...after, watchMinutes: null };
  expect(await previewCorrection(db, { rule: after, wanted: dropped }, START_MS)).toMatchObject({
    newly: 1,
    free: 0,
  });
});

test('Streams in a row are counted by the values of the correction, and a condition is dropped from the count', async () => {
  const viewer = await addPerson(db);
  await watch(viewer, 30);
  const ruleId = await addRule(db, streamer, {
    ...{ watchMinutes: 60, watchScope: 'allTime', attendedStreams: 3, ofLastStreams: 4, rewards: 1 },
  });
  const rule = await ruleOf(ruleId);
  const easier = { ...rule, watchMinutes: 30, attendedStreams: 1, ofLastStreams: null };
  expect(await previewCorrection(db, { rule, wanted: easier }, START_MS)).toMatchObject({ newly: 0 });
  const dropped = { ...easier, attendedStreams: null };
  expect(await previewCorrection(db, { rule, wanted: dropped }, START_MS)).toMatchObject({ newly: 1 });
});

test('The preview counts those in line who would not meet a harder rule, as the correction then takes them off', async () => {
  const ruleId = await addRule(db, streamer, { watchMinutes: 30, rewards: 0 });
  for (const minutes of [40, 50, 60]) await watch(await addPerson(db), minutes);
  await evaluateChannel(db, channelId, START_MS);
  const rule = await ruleOf(ruleId);
  const counted = (change: Partial<Correction>) =>
    previewCorrection(db, { rule, wanted: { ...rule, ...change } }, START_MS);
  expect(await counted({ watchMinutes: 60 })).toMatchObject({ newly: 0, waiting: 3, leaving: 2 });
  expect(await counted({ attendedStreams: 2 })).toMatchObject({ newly: 0, waiting: 3, leaving: 3 });
  await correct(ruleId, { watchMinutes: 60 });
  expect(await listed()).toBe(1);
});

test('The preview counts nobody as leaving because of a list that Twitch was not asked for', async () => {
  const ruleId = await addRule(db, streamer, { watchMinutes: 30, rewards: 0 });
  for (const minutes of [40, 50, 60]) await watch(await addPerson(db), minutes);
  await evaluateChannel(db, channelId, START_MS);
  const rule = await ruleOf(ruleId);
  const wanted = { ...rule, watchMinutes: 50, followDays: 7 };
  expect(await previewCorrection(db, { rule, wanted }, START_MS)).toMatchObject({ waiting: 3, leaving: 1 });
  await correct(ruleId, { watchMinutes: 50, followDays: 7 });
  expect(await listed()).toBe(2);
});

test('Corrections are listed with the whole rule before and after each, latest first', async () => {
  const ruleId = await addRule(db, streamer, {
    watchMinutes: 100,
    followDays: 5,
    name: 'Marathon',
    rewards: 0,
  });
  await correct(ruleId, { watchMinutes: 60, name: 'Evenings' });
  await correct(ruleId, { followDays: null }, START_MS + day);
  const found = await listCorrections(db, ruleId);
  expect(found.map(({ atMs, before, after }) => [atMs, before, after])).toMatchObject([
    [
      START_MS + day,
      { name: 'Evenings', watchMinutes: 60, followDays: 5 },
      { name: 'Evenings', watchMinutes: 60, followDays: null },
    ],
    [
      START_MS,
      { name: 'Marathon', watchMinutes: 100, followDays: 5 },
      { name: 'Evenings', watchMinutes: 60, followDays: 5 },
    ],
  ]);
});
