import { eq, sql } from 'drizzle-orm';
import { beforeEach, expect, test } from 'vitest';
import { channels } from '#db/schema/channel.ts';
import { items } from '#db/schema/item.ts';
import { rewards } from '#db/schema/reward.ts';
import { getLiveState } from '#domain/channel/get-live-state.ts';
import { claimReward } from '#domain/claim/claim-reward.ts';
import { day, hour, minute } from '#domain/kernel/time.ts';
import { deferCustomReward } from '#domain/redemption/record-custom-reward.ts';
import { closeRule } from '#domain/rule/close-rule.ts';
import { evaluateChannel } from '#domain/rule/evaluate-channel.ts';
import { getTasks } from '#domain/view/get-tasks.ts';
import {
  addPerson,
  addRule,
  asset,
  deposit,
  type Person,
  START_MS,
  sendQueued,
} from '#tests/support/fixtures.ts';
import { rewardsOf } from '#tests/support/looking.ts';
import { addPointsRule } from '#tests/support/redemptions.ts';
import { db, setScene, streamer } from '#tests/support/scene.ts';
import { watchFor } from '#tests/support/watching.ts';

setScene();
const tasks = (ownerId = streamer.userId, nowMs = START_MS) =>
  getTasks(db, { ownerId, untilMs: nowMs + 7 * day }, nowMs);

let viewers: Person[];
beforeEach(async () => {
  viewers = [await addPerson(db), await addPerson(db), await addPerson(db)];
});

/** All viewers meet the watch time of an hour, one after the other. */
async function meetAll(): Promise<void> {
  for (const [place, { twitchId }] of viewers.entries()) {
    await watchFor(db, streamer.twitchId, [[twitchId, 3600]]);
    await evaluateChannel(db, streamer.twitchId, START_MS + place);
  }
}

const nothing = { waiting: null, lowOnStock: [], refused: [], offers: null, unlocks: [] };

test('Nothing needs someone without rules and items', async () => {
  expect(await tasks()).toEqual(nothing);
});

test('Open rules whose custom reward Twitch refuses need their streamer, until it takes one', async () => {
  const refuse = (ruleId: string, fault: 'wordsRefused' | 'tooMany' | null) =>
    deferCustomReward(db, { ruleId, fault, retryAtMs: 0 }, START_MS);
  const [words, limit] = [
    await addPointsRule(db, streamer, { name: 'Odd words', rewards: 9 }),
    await addPointsRule(db, streamer, { name: 'One too many', rewards: 8 }),
  ];
  await addPointsRule(db, streamer, { rewards: 7 });
  await refuse(words, 'wordsRefused');
  await refuse(limit, 'tooMany');
  expect((await tasks()).refused).toEqual([
    { id: limit, name: 'One too many' },
    { id: words, name: 'Odd words' },
  ]);
  await closeRule(db, { ruleId: limit, userId: streamer.userId }, START_MS);
  expect((await tasks()).refused).toEqual([{ id: words, name: 'Odd words' }]);
});

test('Viewers wait on a rule without free rewards, the first in line first', async () => {
  const ruleId = await addRule(db, streamer, { rewards: 1, name: 'Long evenings' });
  await meetAll();
  const [, second, third] = viewers;
  const name = (one?: Person) => expect.objectContaining({ displayName: nameOf(one) });
  expect((await tasks()).waiting).toEqual({
    viewers: 2,
    rule: { id: ruleId, name: 'Long evenings', free: 0, isUsed: true, waiting: 2 },
    otherRules: 0,
    sinceMs: START_MS + 1,
    faces: [name(second), name(third)],
  });
  expect((await tasks()).lowOnStock).toEqual([]);
});

const nameOf = (one?: Person) => `Demo_Person_${Number(one?.twitchId) - 50_000}`;

test('The rule with the longest line stands for the others', async () => {
  const facts = { watchMinutes: 60, rewards: 0 };
  await addRule(db, streamer, { ...facts, rewards: 1 });
  const longest = await addRule(db, streamer, facts);
  await meetAll();
  expect((await tasks()).waiting).toMatchObject({ viewers: 5, rule: { id: longest }, otherRules: 1 });
});

test('Rules in use with two free rewards or fewer are low on stock, as are those without any', async () => {
  const one = await addRule(db, streamer, { rewards: 3 });
  await watchFor(db, streamer.twitchId, [[viewers[0]?.twitchId ?? '', 3600]]);
  await evaluateChannel(db, streamer.twitchId, START_MS);
  await addRule(db, streamer, { rewards: 3 });
  await addRule(db, streamer, { rewards: 1, watchMinutes: 6000 });
  const none = await addRule(db, streamer, { rewards: 0 });
  const closed = await addRule(db, streamer, { rewards: 0 });
  await closeRule(db, { ruleId: closed, userId: streamer.userId }, START_MS);
  expect((await tasks()).lowOnStock.map(({ id, free, isUsed }) => [id, free, isUsed])).toEqual([
    [none, 0, false],
    [one, 2, true],
  ]);
});

test('A rule low on stock shows what comes next, and an empty one what it gave last', async () => {
  const never = await addRule(db, streamer, { rewards: 0 });
  const low = await addRule(db, streamer, { rewards: 3 });
  // Each item has a picture of its own.
  await db.transaction((tx) => tx.update(items).set({ iconUrl: sql`${items.id}` }));
  const inOrder = await db.read
    .select({ iconUrl: rewards.itemId })
    .from(rewards)
    .where(eq(rewards.ruleId, low))
    .orderBy(rewards.position);
  const artOf = async (ruleId: string) => (await tasks()).lowOnStock.find(({ id }) => id === ruleId)?.art;
  expect([await artOf(never), await artOf(low)]).toEqual([null, undefined]);
  const shown = [];
  for (const [place, { twitchId }] of viewers.entries()) {
    await watchFor(db, streamer.twitchId, [[twitchId, 3600]]);
    await evaluateChannel(db, streamer.twitchId, START_MS + place);
    shown.push(await artOf(low));
  }
  expect(shown).toMatchObject([inOrder[1], inOrder[2], inOrder[2]]);
  expect((await tasks()).lowOnStock.find(({ id }) => id === low)).toMatchObject({ free: 0 });
});

test('A rule low on stock says when it is empty at its pace of the last two weeks', async () => {
  const ruleId = await addRule(db, streamer, { rewards: 4 });
  await addRule(db, streamer, { rewards: 2, type: 'one' });
  const emptyAt = async (nowMs: number) => (await tasks(streamer.userId, nowMs)).lowOnStock[0]?.emptyAtMs;
  const [first, ...others] = viewers as [Person, Person, Person];
  await watchFor(db, streamer.twitchId, [[first.twitchId, 3600]]);
  await evaluateChannel(db, streamer.twitchId, START_MS);
  // One promise shows no pace.
  expect(await emptyAt(START_MS + day)).toBeNull();
  for (const { twitchId } of others) await watchFor(db, streamer.twitchId, [[twitchId, 3600]]);
  await evaluateChannel(db, streamer.twitchId, START_MS);
  const [low] = (await tasks(streamer.userId, START_MS + 6 * day)).lowOnStock.filter(
    ({ id }) => id === ruleId,
  );
  // Three in six days: the one that is left takes two.
  expect(low).toMatchObject({ free: 1, emptyAtMs: START_MS + 8 * day });
  const later = (await tasks(streamer.userId, START_MS + 20 * day)).lowOnStock.find(
    ({ id }) => id === ruleId,
  );
  expect(later?.emptyAtMs).toBeNull();
});

test('A live channel says since when, and whether watch time was counted lately', async () => {
  const state = () => getLiveState(db, streamer.twitchId, START_MS);
  const set = (facts: Partial<typeof channels.$inferInsert>) =>
    db.transaction((tx) => tx.update(channels).set(facts).where(eq(channels.id, streamer.twitchId)));
  await set({ live: false, streamStartedAtMs: START_MS - hour });
  expect(await state()).toBeNull();
  await set({ live: true, watchedUntilMs: START_MS - minute });
  expect(await state()).toEqual({ sinceMs: START_MS - hour, isCounting: true });
  await set({ watchedUntilMs: START_MS - 3 * minute + 1 });
  expect(await state()).toMatchObject({ isCounting: true });
  for (const watchedUntilMs of [START_MS - 3 * minute, null]) {
    await set({ watchedUntilMs });
    expect(await state()).toEqual({ sinceMs: START_MS - hour, isCounting: false });
  }
  await set({ streamStartedAtMs: null });
  expect(await state()).toBeNull();
  expect(await getLiveState(db, 'unknown', START_MS)).toBeNull();
});

test('Offers on Steam wait for their viewers, but not those that are only queued', async () => {
  const ruleId = await addRule(db, streamer, { rewards: 3 });
  await meetAll();
  const claim = async ({ userId, twitchId }: Person) => {
    const reward = (await rewardsOf(db, ruleId)).find((each) => each.twitchId === twitchId);
    await claimReward(db, { rewardId: reward?.id ?? '', userId }, START_MS + hour);
  };
  const [first, second, third] = viewers as [Person, Person, Person];
  await claim(first);
  await sendQueued(db, START_MS + hour);
  await claim(second);
  await sendQueued(db, START_MS + 2 * hour);
  await claim(third);
  const { offers } = await tasks();
  expect(offers).toMatchObject({
    offers: 2,
    faces: [{ displayName: nameOf(first) }, { displayName: nameOf(second) }],
  });
  expect(offers?.firstEndsAtMs).toBeGreaterThan(START_MS);
});

test('Locked items are counted at the moments they become usable, within the asked time', async () => {
  await deposit(db, streamer, [asset(), asset()], START_MS - 5 * day);
  await deposit(db, streamer, [asset()], START_MS - day);
  await deposit(db, streamer, [asset()], START_MS - 8 * day);
  expect((await tasks()).unlocks).toEqual([
    { atMs: START_MS + 2 * day, items: 2 },
    { atMs: START_MS + 6 * day, items: 1 },
  ]);
  const soon = { ownerId: streamer.userId, untilMs: START_MS + 3 * day };
  expect((await getTasks(db, soon, START_MS)).unlocks).toHaveLength(1);
});

test('Nobody sees what another streamer has to do', async () => {
  await addRule(db, streamer, { rewards: 1 });
  const ruleId = await addPointsRule(db, streamer, { rewards: 2 });
  await deferCustomReward(db, { ruleId, fault: 'tooMany', retryAtMs: 0 }, START_MS);
  await meetAll();
  await deposit(db, streamer, [asset()]);
  const { userId } = await addPerson(db);
  expect(await tasks(userId)).toEqual(nothing);
});
