import { eq } from 'drizzle-orm';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { is } from '#db/dialect.ts';
import { rewards } from '#db/schema/reward.ts';
import { rules } from '#db/schema/rule.ts';
import { newId } from '#domain/kernel/id.ts';
import { day, minute } from '#domain/kernel/time.ts';
import { attachRewards } from '#domain/rule/attach-rewards.ts';
import { evaluateChannel } from '#domain/rule/evaluate-channel.ts';
import { tieBreak } from '#domain/rule/qualify.ts';
import { addCrowd, withOthers } from '#tests/support/crowd.ts';
import { addRule, asset, deposit, START_MS } from '#tests/support/fixtures.ts';
import { rewardsOf } from '#tests/support/looking.ts';
import { db, setScene, streamer } from '#tests/support/scene.ts';
import { goLive, readChatters as tick } from '#tests/support/stream.ts';
import { setWatched } from '#tests/support/watched.ts';

setScene();

// A transaction's duration decides the next one's size: here none takes any time.
beforeEach(() => {
  vi.spyOn(performance, 'now').mockReturnValue(0);
});
afterEach(() => {
  vi.restoreAllMocks();
});

const CROWD = 530;
const REWARDS = 520;
const ROUND = 500;
const asked = { watchMinutes: 10, watchScope: 'allTime', rewards: 0 } as const;
const cases = (quantity: number) => [{ appId: 730, marketHashName: 'Demo case', quantity }];

async function stock() {
  for (let left = REWARDS; left > 0; left -= 100) {
    const assets = Array.from({ length: Math.min(100, left) }, () => asset());
    await deposit(db, streamer, assets, START_MS - 8 * day);
  }
}

const countPromised = () => db.read.$count(rewards, is(rewards.state, 'promised'));

/** The database, and how many promises there were after each transaction. */
function countingPromises(afterFirst = () => {}) {
  const counts: number[] = [];
  const store = withOthers(db, async (nth) => {
    counts.push(await countPromised());
    if (nth === 1) afterFirst();
  });
  return { store, counts };
}

/** Lists the viewers with a promise, in the order of the rewards, and those who should have one. */
async function promisedAndNext(ruleId: string, crowd: readonly string[]) {
  const [rule] = await db.read.select().from(rules).where(eq(rules.id, ruleId));
  const ties = new Map(crowd.map((id) => [id, tieBreak(rule!.seed, id)]));
  const order = crowd.toSorted((a, b) => (ties.get(a)! < ties.get(b)! ? -1 : 1));
  const promised = (await rewardsOf(db, ruleId)).map(({ twitchId }) => twitchId);
  return { promised, next: order.slice(0, REWARDS) };
}

async function crowdBeforeThreshold() {
  await stock();
  const ruleId = await addRule(db, streamer, asked);
  const kinds = cases(REWARDS);
  await attachRewards(db, { ruleId, userId: streamer.userId, kinds }, START_MS);
  const crowd = await addCrowd(db, streamer.twitchId, CROWD);
  await db.transaction(async (tx) => {
    await setWatched(tx, { seconds: 590, nextCheckSeconds: 600 });
  });
  await goLive(db, streamer.twitchId);
  await tick(db, streamer.twitchId, crowd, START_MS);
  return { ruleId, crowd };
}

/** A rule without rewards that a crowd has met, and items for it. */
async function crowdThatWaits() {
  const ruleId = await addRule(db, streamer, asked);
  const crowd = await addCrowd(db, streamer.twitchId, CROWD);
  await evaluateChannel(db, streamer.twitchId, START_MS);
  await stock();
  return { ruleId, crowd };
}

test('A tick promises one round in its own transaction and the rest in others, in order', async () => {
  const { ruleId, crowd } = await crowdBeforeThreshold();
  const { store, counts } = countingPromises();
  const ticked = await tick(store, streamer.twitchId, crowd, START_MS + minute);
  expect(ticked).toEqual({ seconds: 60, qualified: CROWD });
  expect(counts).toEqual([ROUND, REWARDS]);
  const { promised, next } = await promisedAndNext(ruleId, crowd);
  expect(promised).toEqual(next);
});

test('If the process ends after the first round of a tick, the next sweep serves the others', async () => {
  const { ruleId, crowd } = await crowdBeforeThreshold();
  const { store } = countingPromises(() => {
    throw new Error('killed');
  });
  await expect(tick(store, streamer.twitchId, crowd, START_MS + minute)).rejects.toThrow('killed');
  expect(await countPromised()).toBe(ROUND);
  await evaluateChannel(db, streamer.twitchId, START_MS + 2 * minute);
  const { promised, next } = await promisedAndNext(ruleId, crowd);
  expect(promised).toEqual(next);
});

test('Attached rewards are promised after their transaction, in as many rounds as it takes', async () => {
  const { ruleId, crowd } = await crowdThatWaits();
  const { store, counts } = countingPromises();
  const request = { ruleId, userId: streamer.userId, kinds: cases(REWARDS) };
  expect(await attachRewards(store, request, START_MS)).toEqual({ ok: true, attached: REWARDS });
  expect(counts).toEqual([0, ROUND / 2, REWARDS]);
  const { promised, next } = await promisedAndNext(ruleId, crowd);
  expect(promised).toEqual(next);
});

test('If the process ends before attached rewards are promised, the same request again promises them', async () => {
  const { ruleId, crowd } = await crowdThatWaits();
  const { store } = countingPromises(() => {
    throw new Error('killed');
  });
  const requestId = newId(START_MS);
  const request = { requestId, ruleId, userId: streamer.userId, kinds: cases(REWARDS) };
  await expect(attachRewards(store, request, START_MS)).rejects.toThrow('killed');
  expect(await countPromised()).toBe(0);
  expect(await attachRewards(db, request, START_MS)).toEqual({ ok: true, attached: 0 });
  const { promised, next } = await promisedAndNext(ruleId, crowd);
  expect(promised).toEqual(next);
});
