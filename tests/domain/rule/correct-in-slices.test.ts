import { and, asc, eq, isNull } from 'drizzle-orm';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Database } from '#db/database.ts';
import { isAmong } from '#db/dialect.ts';
import { watchTimes } from '#db/schema/channel.ts';
import { qualifications, rules } from '#db/schema/rule.ts';
import { insertManyInto } from '#db/write.ts';
import { newId } from '#domain/kernel/id.ts';
import { hour } from '#domain/kernel/time.ts';
import { attachRewards } from '#domain/rule/attach-rewards.ts';
import { correctRule } from '#domain/rule/correct-rule.ts';
import { evaluateChannel } from '#domain/rule/evaluate-channel.ts';
import { finishAllOpenings } from '#domain/rule/finish-all-openings.ts';
import { succeedRule } from '#domain/rule/succeed-rule.ts';
import { addCrowd, withOthers } from '#tests/support/crowd.ts';
import { addPerson, addRule, asset, deposit, START_MS } from '#tests/support/fixtures.ts';
import { rewardsOf } from '#tests/support/looking.ts';
import { db, setScene, streamer } from '#tests/support/scene.ts';
import { watchFor } from '#tests/support/watching.ts';

setScene();

// A transaction's duration decides the next one's size: here each takes too long, so that slices shrink.
beforeEach(() => {
  let atMs = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => {
    atMs += 120;
    return atMs;
  });
});
afterEach(() => {
  vi.restoreAllMocks();
});

/** More than one slice of each kind, also of the transaction that decides. */
const CROWD = 5100;
const nowMs = START_MS + hour;

const insertWaiting = insertManyInto(qualifications, 'qualifications');

const dying = (store: Database, after: number) =>
  withOthers(store, async (nth) => {
    if (nth === after) throw new Error('killed');
  });
const ruleOf = async (ruleId: string) => (await db.read.select().from(rules).where(eq(rules.id, ruleId)))[0]!;
const promisedOn = async (ruleId: string) =>
  (await rewardsOf(db, ruleId)).flatMap(({ twitchId }) => (twitchId === null ? [] : [twitchId]));
const waitingOn = async (ruleId: string) =>
  (
    await db.read
      .select({ twitchId: qualifications.twitchId })
      .from(qualifications)
      .where(and(eq(qualifications.ruleId, ruleId), isNull(qualifications.promisedAtMs)))
      .orderBy(asc(qualifications.qualifiedAtMs), asc(qualifications.tieBreak))
  ).map(({ twitchId }) => twitchId);
const stock = (ruleId: string, quantity: number) =>
  attachRewards(
    db,
    { ruleId, userId: streamer.userId, kinds: [{ appId: 730, marketHashName: 'Demo case', quantity }] },
    nowMs,
  );

/** A rule for ten minutes on which everybody waits; every third of them has watched for 30. */
async function waitedFor() {
  await deposit(
    db,
    streamer,
    Array.from({ length: 12 }, () => asset()),
    START_MS - 9 * 24 * hour,
  );
  const ruleId = await addRule(db, streamer, { watchMinutes: 10, watchScope: 'allTime', rewards: 0 });
  const crowd = await addCrowd(db, streamer.twitchId, CROWD);
  const longer = crowd.filter((_, place) => place % 3 === 0);
  const waiting = crowd.map((twitchId, place) => ({
    ...{ ruleId, twitchId, qualifiedAtMs: START_MS + (place % 7), tieBreak: `${(place * 7919) % CROWD}` },
  }));
  await db.transaction(async (tx) => {
    const watched = and(eq(watchTimes.channelId, streamer.twitchId), isAmong(watchTimes.twitchId, longer));
    await tx
      .update(watchTimes)
      .set({ seconds: 30 * 60 })
      .where(watched);
    for (let from = 0; from < CROWD; from += 1000) await insertWaiting(tx, waiting.slice(from, from + 1000));
  });
  return { ruleId, longer: new Set(longer) };
}

/** Works until it is done, killed after one transaction, then after two, and so on; in between a reward is added. */
async function dyingOften(begin: (store: Database) => Promise<unknown>, check: () => Promise<void>) {
  let kills = 0;
  const survive = async (work: (store: Database) => Promise<unknown>) => {
    const outcome = await work(dying(db, kills + 1)).catch((error: Error) => error.message);
    if (outcome !== 'killed') return true;
    kills++;
    await check();
    return false;
  };
  let isDone = await survive(begin);
  while (!isDone) isDone = await survive((store) => finishAllOpenings(store, nowMs));
  return kills;
}

test('A rule with a long list becomes harder in slices: whoever does not meet it is promised nothing between them', async () => {
  const { ruleId, longer } = await waitedFor();
  const order = (await waitingOn(ruleId)).filter((twitchId) => longer.has(twitchId));
  const requestId = newId(nowMs);
  const wanted = { ...(await ruleOf(ruleId)), watchMinutes: 25 };
  const request = { requestId, ruleId, userId: streamer.userId, wanted };
  const kills = await dyingOften(
    (store) => correctRule(store, request, nowMs),
    async () => {
      if ((await ruleOf(ruleId)).watchMinutes !== 25) return;
      await stock(ruleId, 1);
      for (const twitchId of await promisedOn(ruleId)) expect(longer.has(twitchId)).toBe(true);
    },
  );
  expect(kills).toBeGreaterThan(2);
  await evaluateChannel(db, streamer.twitchId, nowMs);
  const promised = await promisedOn(ruleId);
  expect(promised.length).toBeGreaterThan(2);
  expect(promised.sort()).toEqual(order.slice(0, promised.length).sort());
  expect(await waitingOn(ruleId)).toEqual(order.slice(promised.length));
  expect((await ruleOf(ruleId)).checkAfter).toBeNull();
  expect(await correctRule(db, request, nowMs)).toMatchObject({ ok: true, repeated: true });
});

test('A harder rule takes over a long list in slices: nobody loses a place or is promised a second reward between them', async () => {
  const { ruleId, longer } = await waitedFor();
  const winner = await addPerson(db);
  await watchFor(db, streamer.twitchId, [[winner.twitchId, 60 * 60]]);
  await stock(ruleId, 2);
  const won = await promisedOn(ruleId);
  expect(won).toHaveLength(2);
  const order = (await waitingOn(ruleId)).filter((twitchId) => longer.has(twitchId));
  const next = newId(nowMs);
  const wanted = { ...(await ruleOf(ruleId)), watchMinutes: 25 };
  const request = { requestId: next, ruleId, userId: streamer.userId, wanted, again: false };
  const kills = await dyingOften(
    (store) => succeedRule(store, request, nowMs),
    async () => {
      await stock(next, 1);
      for (const twitchId of await promisedOn(next)) {
        expect(longer.has(twitchId) || twitchId === winner.twitchId).toBe(true);
        expect(won).not.toContain(twitchId);
      }
    },
  );
  expect(kills).toBeGreaterThan(2);
  await evaluateChannel(db, streamer.twitchId, nowMs);
  const promised = await promisedOn(next);
  expect(promised.length).toBeGreaterThan(2);
  expect(promised.sort()).toEqual(order.slice(0, promised.length).sort());
  expect(await waitingOn(next)).toEqual([...order.slice(promised.length), winner.twitchId]);
  expect(await ruleOf(next)).toMatchObject({ state: 'open', checkAfter: null });
});
