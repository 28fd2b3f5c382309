import { eq } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { rules } from '#db/schema/rule.ts';
import { transfers } from '#db/schema/transfer.ts';
import { claimReward } from '#domain/claim/claim-reward.ts';
import { newId } from '#domain/kernel/id.ts';
import { day, hour } from '#domain/kernel/time.ts';
import { readEvents } from '#domain/outbox/read-events.ts';
import { attachRewards } from '#domain/rule/attach-rewards.ts';
import { closeRule } from '#domain/rule/close-rule.ts';
import { createRule } from '#domain/rule/create-rule.ts';
import { detachRewards } from '#domain/rule/detach-rewards.ts';
import { reportTransfer } from '#domain/transfer/report-transfer.ts';
import {
  addPerson,
  addRule,
  addStreamer,
  asset,
  deposit,
  draft,
  START_MS,
  sendQueued,
} from '#tests/support/fixtures.ts';
import { itemsOf, rewardsOf, transferOf } from '#tests/support/looking.ts';
import { promiseTo } from '#tests/support/promises.ts';
import { db, setScene, streamer } from '#tests/support/scene.ts';

setScene();

type Kinds = Record<string, number>;
const kindsOf = (kinds: Kinds) =>
  Object.entries(kinds).map(([marketHashName, quantity]) => ({ appId: 730, marketHashName, quantity }));
const attach = (ruleId: string, kinds: Kinds, userId = streamer.userId) =>
  attachRewards(db, { ruleId, userId, kinds: kindsOf(kinds) }, START_MS);
const detach = (ruleId: string, kinds: Kinds, userId = streamer.userId) =>
  detachRewards(db, { ruleId, userId, kinds: kindsOf(kinds) }, START_MS);
async function hold(kinds: Kinds, atMs = START_MS - 8 * day, owner = streamer) {
  const assets = Object.entries(kinds).flatMap(([kind, amount]) =>
    Array.from({ length: amount }, () => asset(kind)),
  );
  await deposit(db, owner, assets, atMs);
}
const statesOn = async (ruleId: string) => (await rewardsOf(db, ruleId)).map(({ state }) => state);
const close = (ruleId: string, userId = streamer.userId) => closeRule(db, { ruleId, userId }, START_MS);

test('Items are attached to a rule by kind and quantity, oldest first', async () => {
  await hold({ 'Demo case': 1 }, START_MS - 8 * day);
  await hold({ 'Demo case': 1, 'Demo key': 2 }, START_MS - 9 * day);
  const ruleId = await addRule(db, streamer, { rewards: 0 });
  expect(await attach(ruleId, { 'Demo case': 1, 'Demo key': 2 })).toEqual({ ok: true, attached: 3 });
  const held = await itemsOf(db, streamer.userId);
  const attached = (await rewardsOf(db, ruleId)).map(
    ({ itemId }) => held.find(({ id }) => id === itemId)?.receivedAtMs,
  );
  expect(attached).toEqual(Array(3).fill(START_MS - 9 * day));
});

test('Items of another game with the same name do not count', async () => {
  await deposit(db, streamer, [asset('Demo case', { appId: 440 })], START_MS - 8 * day);
  const ruleId = await addRule(db, streamer, { rewards: 0 });
  expect(await attach(ruleId, { 'Demo case': 1 })).toEqual({ ok: false, code: 'notEnough' });
});

test('One kind with too few attaches none of them', async () => {
  await hold({ 'Demo case': 3, 'Demo key': 1 });
  const ruleId = await addRule(db, streamer, { rewards: 0 });
  const notEnough = { ok: false, code: 'notEnough' };
  expect(await attach(ruleId, { 'Demo case': 3, 'Demo key': 2 })).toEqual(notEnough);
  expect(await attach(ruleId, { 'Demo case': 1, 'Demo nothing': 1 })).toEqual(notEnough);
  expect(await statesOn(ruleId)).toEqual([]);
});

test('Locked items, items on another rule and other people’s items do not count', async () => {
  const other = await addStreamer(db);
  await hold({ 'Demo case': 1 }, START_MS - 7 * day + 1);
  await hold({ 'Demo case': 1 }, START_MS - 8 * day, other);
  const ruleId = await addRule(db, streamer, { rewards: 0 });
  expect(await attach(ruleId, { 'Demo case': 1 })).toEqual({ ok: false, code: 'notEnough' });
  await hold({ 'Demo case': 1 });
  const second = await addRule(db, streamer, { rewards: 0 });
  expect(await attach(second, { 'Demo case': 1 })).toEqual({ ok: true, attached: 1 });
  expect(await attach(ruleId, { 'Demo case': 1 })).toEqual({ ok: false, code: 'notEnough' });
});

test('A missing, negative or huge quantity writes nothing', async () => {
  await hold({ 'Demo case': 1 });
  const ruleId = await addRule(db, streamer, { rewards: 0 });
  for (const verb of [attach, detach]) {
    expect(await verb(ruleId, {})).toEqual({ ok: false, code: 'nothingPicked' });
    expect(await verb(ruleId, { 'Demo case': 0 })).toEqual({ ok: false, code: 'nothingPicked' });
    expect(await verb(ruleId, { 'Demo case': -5 })).toEqual({ ok: false, code: 'nothingPicked' });
    expect(await verb(ruleId, { 'Demo case': Number.NaN })).toEqual({ ok: false, code: 'nothingPicked' });
  }
  expect(await attach(ruleId, { 'Demo case': 5001 })).toEqual({ ok: false, code: 'rewardLimit' });
  expect(await attach(ruleId, { 'Demo case': Number.MAX_SAFE_INTEGER })).toEqual({
    ok: false,
    code: 'rewardLimit',
  });
  expect(await detach(ruleId, { 'Demo case': Number.MAX_SAFE_INTEGER })).toEqual({
    ok: false,
    code: 'notEnough',
  });
  expect(await statesOn(ruleId)).toEqual([]);
});

test('Another user’s rule is treated as unknown', async () => {
  const stranger = await addStreamer(db);
  const ruleId = await addRule(db, streamer);
  const notFound = { ok: false, code: 'notFound' };
  for (const id of [ruleId, newId(START_MS)]) {
    expect(await attach(id, { 'Demo case': 1 }, stranger.userId)).toEqual(notFound);
    expect(await detach(id, { 'Demo case': 1 }, stranger.userId)).toEqual(notFound);
    expect(await close(id, stranger.userId)).toEqual(notFound);
  }
  expect(await statesOn(ruleId)).toEqual(['free']);
});

test('Free rewards can be removed, last attached first; promised ones belong to the viewers', async () => {
  const viewer = await addPerson(db);
  const { ruleId } = await promiseTo(db, streamer, [viewer], { rewards: 3 });
  expect(await detach(ruleId, { 'Demo case': 3 })).toEqual({ ok: false, code: 'notEnough' });
  expect(await statesOn(ruleId)).toEqual(['promised', 'free', 'free']);
  expect(await detach(ruleId, { 'Demo case': 1 })).toEqual({ ok: true, detached: 1 });
  expect(await statesOn(ruleId)).toEqual(['promised', 'free', 'recalled']);
  // A removed item can be attached again, as a new reward.
  expect(await attach(ruleId, { 'Demo case': 1 })).toEqual({ ok: true, attached: 1 });
  expect(await statesOn(ruleId)).toEqual(['promised', 'free', 'recalled', 'free']);
});

test('Closing a rule frees its items at once; promises run to their end', async () => {
  const [one, two] = [await addPerson(db), await addPerson(db)];
  const { ruleId, rewards } = await promiseTo(db, streamer, [one, two], { rewards: 4 });
  const taken = rewards.find(({ userId }) => userId === one.userId)!;
  await claimReward(db, { rewardId: taken.id, userId: one.userId }, START_MS);
  expect(await close(ruleId)).toEqual({ ok: true, detached: 2 });
  expect((await statesOn(ruleId)).sort()).toEqual(['promised', 'recalled', 'recalled', 'reserved']);
  expect(await close(ruleId)).toEqual({ ok: true, detached: 0 });
  expect(await attach(ruleId, { 'Demo case': 1 })).toEqual({ ok: false, code: 'ruleClosed' });
  const saved = rewards.find(({ userId }) => userId === two.userId)!;
  expect((await claimReward(db, { rewardId: saved.id, userId: two.userId }, START_MS + hour)).ok).toBe(true);
  // A promise that ends undelivered after its window is not passed on any more.
  await sendQueued(db, START_MS + hour);
  const [offer] = await db.read.select().from(transfers).where(eq(transfers.rewardId, taken.id));
  await reportTransfer(db, offer!.id, { event: 'declined' }, START_MS + 73 * hour);
  expect((await transferOf(db, offer!.id)).state).toBe('declined');
  expect((await statesOn(ruleId)).sort()).toEqual(['recalled', 'recalled', 'recalled', 'reserved']);
});

test('A rule that closes while rewards are attached to it keeps none of them', async () => {
  await hold({ 'Demo case': 1 });
  const ruleId = await addRule(db, streamer, { rewards: 0 });
  const [, attached] = await Promise.all([close(ruleId), attach(ruleId, { 'Demo case': 1 })]);
  // Either may come first.
  expect([
    { ok: true, attached: 1 },
    { ok: false, code: 'ruleClosed' },
  ]).toContainEqual(attached);
  expect(await statesOn(ruleId)).not.toContain('free');
  const other = await addRule(db, streamer, { rewards: 0 });
  expect(await attach(other, { 'Demo case': 1 })).toEqual({ ok: true, attached: 1 });
});

test('A rule has conditions, on the streamer’s own channel, from an owner who may give', async () => {
  const create = (userId: string, facts: Parameters<typeof draft>[0] = {}) =>
    createRule(db, { requestId: newId(START_MS), userId, draft: draft(facts) }, START_MS);
  expect(await create(streamer.userId, { watchMinutes: null })).toEqual({ ok: false, code: 'noCondition' });
  const viewer = await addPerson(db);
  expect(await create(viewer.userId)).toEqual({ ok: false, code: 'twitchPermissionsMissing' });
  expect(await create(newId(START_MS))).toEqual({ ok: false, code: 'twitchNotLinked' });
  expect(await db.read.$count(rules)).toBe(0);
});

test('Submitting the same new rule again returns the first', async () => {
  const requestId = newId(START_MS);
  const create = (userId: string) => createRule(db, { requestId, userId, draft: draft() }, START_MS);
  const answers = await Promise.all([create(streamer.userId), create(streamer.userId)]);
  expect(answers).toEqual([
    { ok: true, ruleId: requestId },
    { ok: true, ruleId: requestId },
  ]);
  const other = await addStreamer(db);
  await create(other.userId).catch(() => {});
  expect(await db.read.select({ owner: rules.ownerId }).from(rules)).toEqual([{ owner: streamer.userId }]);
});

test('Detaching takes nothing from another rule, and nothing of another game', async () => {
  await hold({ 'Demo case': 2 });
  await deposit(db, streamer, [asset('Demo case', { appId: 440 })], START_MS - 8 * day);
  const [ruleId, other] = [
    await addRule(db, streamer, { rewards: 0 }),
    await addRule(db, streamer, { rewards: 0 }),
  ];
  for (const id of [ruleId, other]) await attach(id, { 'Demo case': 1 });
  const hat = [{ appId: 440, marketHashName: 'Demo case', quantity: 1 }];
  await attachRewards(db, { ruleId, userId: streamer.userId, kinds: hat }, START_MS);
  expect(await detach(ruleId, { 'Demo case': 2 })).toEqual({ ok: false, code: 'notEnough' });
  expect(await detach(ruleId, { 'Demo case': 1 })).toEqual({ ok: true, detached: 1 });
  expect(await statesOn(other)).toEqual(['free']);
});

test('Pages of a rule are told when rewards are attached or detached', async () => {
  await hold({ 'Demo case': 1 });
  const ruleId = await addRule(db, streamer, { rewards: 0 });
  const shown = async () => {
    const all = await readEvents(db, { afterId: null });
    return all.filter(({ kind, subjectId }) => kind === 'rule.changed' && subjectId === ruleId).length;
  };
  const before = await shown();
  await attach(ruleId, { 'Demo case': 1 });
  const attached = await shown();
  await detach(ruleId, { 'Demo case': 1 });
  // The request's own event is as old as its id, so each change has another one for live pages.
  expect([attached - before, (await shown()) - attached]).toEqual([2, 2]);
});
