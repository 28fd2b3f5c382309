import { eq } from 'drizzle-orm';
import { beforeEach, expect, test } from 'vitest';
import { twitchAccounts } from '#db/schema/account.ts';
import { kindWeights } from '#db/schema/draw.ts';
import { qualifications, rules } from '#db/schema/rule.ts';
import { newId } from '#domain/kernel/id.ts';
import { hour } from '#domain/kernel/time.ts';
import { closeRule } from '#domain/rule/close-rule.ts';
import { type Correction, correctRule } from '#domain/rule/correct-rule.ts';
import { evaluateChannel } from '#domain/rule/evaluate-channel.ts';
import { setKindWeights } from '#domain/rule/set-kind-weights.ts';
import { type SuccessionRefusal, succeedRule } from '#domain/rule/succeed-rule.ts';
import { addPerson, addRule, type Person, START_MS } from '#tests/support/fixtures.ts';
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
const promisedOn = async (ruleId: string) =>
  (await rewardsOf(db, ruleId)).flatMap(({ twitchId }) => (twitchId === null ? [] : [twitchId])).sort();
const freeOn = async (ruleId: string) =>
  (await rewardsOf(db, ruleId)).filter(({ state }) => state === 'free').map(({ itemId }) => itemId);

async function succeed(
  ruleId: string,
  change: Partial<Correction>,
  { nowMs = START_MS + hour, requestId = newId(nowMs), userId = streamer.userId, again = false } = {},
) {
  const wanted = { ...(await ruleOf(ruleId)), ...change };
  return succeedRule(db, { requestId, ruleId, userId, wanted, again }, nowMs);
}

/** A rule for an hour with three rewards, one of them promised. */
async function givingRule(facts: Parameters<typeof addRule>[2] = {}) {
  const winner = await addPerson(db);
  const ruleId = await addRule(db, streamer, { watchMinutes: 60, rewards: 3, ...facts });
  await watch(winner, 60);
  await evaluateChannel(db, channelId, START_MS);
  expect(await promisedOn(ruleId)).toEqual([winner.twitchId]);
  return { winner, ruleId };
}

const idIn = (outcome: Awaited<ReturnType<typeof succeed>>) => {
  if (!outcome.ok) throw new Error(outcome.code);
  return outcome.ruleId;
};

test('A harder rule takes the place of one that has promised, with its free rewards in their order', async () => {
  const { winner, ruleId } = await givingRule();
  const free = await freeOn(ruleId);
  const next = idIn(await succeed(ruleId, { watchMinutes: 90, name: 'Longer' }));
  expect(await ruleOf(ruleId)).toMatchObject({ state: 'closed', closedAtMs: START_MS + hour });
  expect(await ruleOf(next)).toMatchObject({
    ...{ state: 'open', watchMinutes: 90, name: 'Longer', succeedsId: ruleId, lineId: ruleId },
  });
  expect(await freeOn(ruleId)).toEqual([]);
  expect(await freeOn(next)).toEqual(free);
  expect((await rewardsOf(db, ruleId)).filter(({ state }) => state === 'promised')).toMatchObject([
    { twitchId: winner.twitchId },
  ]);
});

test('What counted so far goes on, with what did not count', async () => {
  const [early, fresh] = [await addPerson(db), await addPerson(db)];
  await watch(early, 500);
  const { ruleId } = await givingRule();
  await watch(early, 50);
  await watch(fresh, 50);
  const next = idIn(await succeed(ruleId, { watchMinutes: 90 }));
  await watch(early, 39);
  await watch(fresh, 40);
  await evaluateChannel(db, channelId, START_MS + hour);
  expect(await promisedOn(next)).toEqual([fresh.twitchId]);
  await watch(early, 1);
  await evaluateChannel(db, channelId, START_MS + hour);
  expect(await promisedOn(next)).toEqual([early.twitchId, fresh.twitchId].sort());
});

test('Nobody who was promised a reward of any version gets a second one, with another Twitch account neither', async () => {
  const { winner, ruleId } = await givingRule();
  const second = idIn(await succeed(ruleId, { watchMinutes: 70 }));
  const other = await addPerson(db);
  await watch(other, 70);
  await evaluateChannel(db, channelId, START_MS + hour);
  expect(await promisedOn(second)).toEqual([other.twitchId]);
  const third = idIn(await succeed(second, { watchMinutes: 80 }, { nowMs: START_MS + 2 * hour }));
  const spare = await addPerson(db);
  for (const person of [winner, other, spare]) await watch(person, 300);
  // The winner connects another account, which has watched enough.
  await db.transaction(async (tx) => {
    const link = (userId: string, twitchId: string) =>
      tx.update(twitchAccounts).set({ userId }).where(eq(twitchAccounts.twitchId, twitchId));
    await tx.delete(twitchAccounts).where(eq(twitchAccounts.twitchId, winner.twitchId));
    await link(winner.userId, spare.twitchId);
  });
  await evaluateChannel(db, channelId, START_MS + 2 * hour);
  expect(await promisedOn(third)).toEqual([]);
});

test('The streamer may let them win again', async () => {
  const { winner, ruleId } = await givingRule();
  await watch(winner, 30);
  const next = idIn(await succeed(ruleId, { watchMinutes: 90 }, { again: true }));
  expect(await promisedOn(next)).toEqual([winner.twitchId]);
});

test('Whoever waits keeps the place if they meet the new rule, and is served first', async () => {
  const { ruleId } = await givingRule({ rewards: 1 });
  const [short, long] = [await addPerson(db), await addPerson(db)];
  await watch(short, 70);
  await watch(long, 95);
  await evaluateChannel(db, channelId, START_MS + 1);
  const next = idIn(await succeed(ruleId, { watchMinutes: 90 }));
  const places = await db.read.select().from(qualifications).where(eq(qualifications.ruleId, next));
  expect(places.filter(({ promisedAtMs }) => promisedAtMs === null)).toMatchObject([
    { twitchId: long.twitchId, qualifiedAtMs: START_MS + 1 },
  ]);
});

test('Weights move with the rewards, and the seed does not', async () => {
  const { ruleId } = await givingRule({ type: 'random' });
  const weights = [{ appId: 730, marketHashName: 'Demo case', weight: 7 }];
  await setKindWeights(db, { ruleId, userId: streamer.userId, weights }, START_MS);
  const next = idIn(await succeed(ruleId, { watchMinutes: 90 }));
  expect(await db.read.select().from(kindWeights).where(eq(kindWeights.ruleId, next))).toMatchObject([
    { kindName: 'Demo case', weight: 7 },
  ]);
  expect((await ruleOf(next)).seed).not.toBe((await ruleOf(ruleId)).seed);
});

test('A repeated request opens no other rule, and a rule has one successor', async () => {
  const { ruleId } = await givingRule();
  const requestId = newId(START_MS);
  expect(await succeed(ruleId, { watchMinutes: 90 }, { requestId })).toEqual({ ok: true, ruleId: requestId });
  expect(await succeed(ruleId, { watchMinutes: 95 }, { requestId })).toEqual({ ok: true, ruleId: requestId });
  expect(await succeed(ruleId, { watchMinutes: 95 })).toMatchObject({ code: 'ruleClosed' });
  expect(await db.read.$count(rules)).toBe(2);
});

test('Until its first promise the new rule is corrected in place, easier or harder', async () => {
  const { ruleId } = await givingRule();
  const next = idIn(await succeed(ruleId, { watchMinutes: 90 }));
  const wanted = { ...(await ruleOf(next)), watchMinutes: 120 };
  const request = { requestId: newId(START_MS), ruleId: next, userId: streamer.userId, wanted };
  expect(await correctRule(db, request, START_MS + hour)).toMatchObject({ ok: true });
});

test.each<[string, SuccessionRefusal, Partial<Correction>, (ruleId: string) => Promise<unknown>]>([
  ['an easier change', 'notHarder', { watchMinutes: 30 }, async () => {}],
  ['no change', 'nothingCorrected', {}, async () => {}],
  [
    'a closed rule',
    'ruleClosed',
    { watchMinutes: 90 },
    (ruleId) => closeRule(db, { ruleId, userId: streamer.userId }, START_MS),
  ],
  [
    'a paused rule',
    'rulePaused',
    { watchMinutes: 90 },
    (ruleId) =>
      db.transaction((tx) =>
        tx.update(rules).set({ state: 'paused', pauseReason: 'operator' }).where(eq(rules.id, ruleId)),
      ),
  ],
])('%s is refused', async (_, code, change, before) => {
  const { ruleId } = await givingRule();
  await before(ruleId);
  expect(await succeed(ruleId, change)).toMatchObject({ code });
});

test('Somebody else’s rule is refused', async () => {
  const { ruleId } = await givingRule();
  const { userId } = await addPerson(db);
  expect(await succeed(ruleId, { watchMinutes: 90 }, { userId })).toMatchObject({ code: 'notFound' });
});
