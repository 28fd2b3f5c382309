import { createHmac } from 'node:crypto';
import { asc, eq } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { mails } from '#db/schema/outbox.ts';
import { qualifications } from '#db/schema/rule.ts';
import { fingerprintOf } from '#domain/draw/fingerprint.ts';
import { commitmentOf } from '#domain/draw/pick-candidate.ts';
import { hour } from '#domain/kernel/time.ts';
import { expirePromises } from '#domain/reward/expire-promises.ts';
import { closeRule } from '#domain/rule/close-rule.ts';
import { evaluateChannel } from '#domain/rule/evaluate-channel.ts';
import { addPerson, type Person, START_MS } from '#tests/support/fixtures.ts';
import { rewardsOf } from '#tests/support/looking.ts';
import { promiseTo } from '#tests/support/promises.ts';
import { addRandomRule, drawsOf, kindsOf, seedOf } from '#tests/support/random-rule.ts';
import { db, setScene, streamer } from '#tests/support/scene.ts';
import { watchFor } from '#tests/support/watching.ts';

setScene();

const people = (amount: number) => Promise.all(Array.from({ length: amount }, () => addPerson(db)));

/** These viewers meet every rule on the channel together, at this time. */
async function meet(viewers: readonly Person[], nowMs = START_MS) {
  const pairs = viewers.map(({ twitchId }) => [twitchId, 600] as const);
  await watchFor(db, streamer.twitchId, pairs);
  await evaluateChannel(db, streamer.twitchId, nowMs);
}

/** The waiting list, including those already served, in order. */
const listOf = (ruleId: string) =>
  db.read
    .select({ twitchId: qualifications.twitchId, promisedAtMs: qualifications.promisedAtMs })
    .from(qualifications)
    .where(eq(qualifications.ruleId, ruleId))
    .orderBy(asc(qualifications.qualifiedAtMs), asc(qualifications.tieBreak));

test('A random rule draws for each viewer in waiting list order, and stores each draw with its promise', async () => {
  const ruleId = await addRandomRule(db, streamer, {
    'Demo case': 2,
    'Demo knife': 1,
    'demo sticker': 2,
  });
  await meet(await people(4));
  const drawn = await drawsOf(db, ruleId);
  expect(drawn.map(({ number }) => number)).toEqual([1, 2, 3, 4]);
  expect(drawn.map(({ twitchId }) => twitchId)).toEqual(
    (await listOf(ruleId)).map(({ twitchId }) => twitchId),
  );
  const promised = (await rewardsOf(db, ruleId)).filter(({ state }) => state === 'promised');
  expect(new Map(promised.map(({ id, twitchId }) => [twitchId, id]))).toEqual(
    new Map(drawn.map(({ twitchId, rewardId }) => [twitchId, rewardId])),
  );
});

test('A draw’s candidates are the kinds with a free reward, in byte order, each with its oldest reward', async () => {
  // Many databases' own order puts the lower-case letter first.
  const ruleId = await addRandomRule(db, streamer, { 'demo a': 1, 'Demo b': 2, Zebra: 1 });
  const pool = await kindsOf(db, ruleId);
  await meet(await people(4));
  const drawn = await drawsOf(db, ruleId);
  const kinds = (n: number) => drawn[n]?.candidates.map(({ marketHashName }) => marketHashName);
  expect(kinds(0)).toEqual(['Demo b', 'Zebra', 'demo a']);
  expect(drawn[3]?.candidates).toHaveLength(1);
  const taken = new Set<string>();
  for (const { candidates, rewardId } of drawn) {
    for (const candidate of candidates) {
      expect(candidate).toMatchObject({ appId: 730, weight: 1 });
      const oldest = pool.find(({ id, kind }) => !taken.has(id) && kind === candidate.marketHashName);
      expect(candidate.rewardId).toBe(oldest?.id);
    }
    taken.add(rewardId);
  }
});

test('Anybody who knows the seed can repeat every draw', async () => {
  const ruleId = await addRandomRule(db, streamer, {
    'Demo case': 3,
    'Demo knife': 1,
    'Demo sticker': 3,
  });
  await meet(await people(6));
  const seed = await seedOf(db, ruleId);
  const drawn = await drawsOf(db, ruleId);
  expect(drawn).toHaveLength(6);
  for (const { number, twitchId, candidates, rewardId } of drawn) {
    const hmac = createHmac('sha256', seed).update(`${ruleId}:${number}:${twitchId}`).digest('hex');
    // All weights are 1 here, so the place is the candidate.
    const place = (BigInt(`0x${hmac}`) * BigInt(candidates.length)) / 2n ** 256n;
    expect(rewardId).toBe(candidates[Number(place)]?.rewardId);
  }
});

test('Each draw continues from the fingerprint of the one before, and the first from the commitment', async () => {
  const ruleId = await addRandomRule(db, streamer, { 'Demo case': 3, 'Demo knife': 3 });
  await meet(await people(2));
  await meet(await people(2), START_MS + hour);
  const drawn = await drawsOf(db, ruleId);
  expect(drawn.map(({ previousFingerprint }) => previousFingerprint)).toEqual([
    commitmentOf(await seedOf(db, ruleId)),
    ...drawn.slice(0, 3).map(fingerprintOf),
  ]);
});

test('The mail about a drawn reward contains its fingerprint, so that others than the site hold it', async () => {
  const ruleId = await addRandomRule(db, streamer, { 'Demo case': 3, 'Demo knife': 3 });
  await meet(await people(3));
  const drawn = await drawsOf(db, ruleId);
  const sent = await db.read
    .select({ values: mails.values })
    .from(mails)
    .where(eq(mails.template, 'rewardPromised'))
    .orderBy(asc(mails.id));
  expect(sent.map(({ values }) => values)).toMatchObject(
    drawn.map((draw) => ({ proof: `${ruleId}/${draw.number}`, fingerprint: fingerprintOf(draw) })),
  );
});

test('After a timed out promise on a random rule, the reward passes on by a new draw', async () => {
  const ruleId = await addRandomRule(db, streamer, { 'Demo case': 1, 'Demo knife': 1 });
  await meet(await people(4));
  const order = (await listOf(ruleId)).map(({ twitchId }) => twitchId);
  expect(await expirePromises(db, START_MS + 73 * hour, Date.now())).toBe(2);
  const drawn = await drawsOf(db, ruleId);
  expect(drawn.map(({ number, twitchId }) => [number, twitchId])).toEqual(
    order.map((twitchId, place) => [place + 1, twitchId]),
  );
  // A returned reward is a new one: nothing is drawn twice.
  expect(new Set(drawn.map(({ rewardId }) => rewardId)).size).toBe(4);
  const states = (await rewardsOf(db, ruleId)).map(({ state }) => state).sort();
  expect(states).toEqual(['promised', 'promised', 'recalled', 'recalled']);
});

test('After a timed out promise on a rule with one reward, it goes to the next in line without a draw', async () => {
  const viewers = await people(3);
  const { ruleId } = await promiseTo(db, streamer, viewers, { rewards: 1 });
  const order = (await listOf(ruleId)).map(({ twitchId }) => twitchId);
  for (const [turn, lateMs] of [73 * hour, 146 * hour].entries()) {
    expect(await expirePromises(db, START_MS + lateMs, Date.now())).toBe(1);
    const [promised] = (await rewardsOf(db, ruleId)).filter(({ state }) => state === 'promised');
    expect(promised?.twitchId).toBe(order[turn + 1]);
  }
  expect(await drawsOf(db, ruleId)).toEqual([]);
});

test('Nothing is drawn once a rule is closed and its seed is known, whatever is returned', async () => {
  const ruleId = await addRandomRule(db, streamer, { 'Demo case': 1, 'Demo knife': 1 });
  await meet(await people(4));
  await closeRule(db, { ruleId, userId: streamer.userId }, START_MS + hour);
  expect(await expirePromises(db, START_MS + 73 * hour, Date.now())).toBe(2);
  await meet(await people(1), START_MS + 74 * hour);
  expect(await drawsOf(db, ruleId)).toHaveLength(2);
  const states = (await rewardsOf(db, ruleId)).map(({ state }) => state);
  expect(states).toEqual(['recalled', 'recalled']);
});
