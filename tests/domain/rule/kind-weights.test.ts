import { expect, test } from 'vitest';
import { listChances } from '#domain/draw/list-chances.ts';
import { pickCandidate } from '#domain/draw/pick-candidate.ts';
import { day, hour } from '#domain/kernel/time.ts';
import { attachRewards } from '#domain/rule/attach-rewards.ts';
import { closeRule } from '#domain/rule/close-rule.ts';
import { evaluateChannel } from '#domain/rule/evaluate-channel.ts';
import { setKindWeights, type WeightRefusal } from '#domain/rule/set-kind-weights.ts';
import { addPerson, addRule, addStreamer, asset, deposit, START_MS } from '#tests/support/fixtures.ts';
import { addRandomRule, drawsOf, seedOf } from '#tests/support/random-rule.ts';
import { db, setScene, streamer } from '#tests/support/scene.ts';
import { watchFor } from '#tests/support/watching.ts';

setScene();

const weigh = (ruleId: string, weights: Record<string, number>, userId = streamer.userId) =>
  setKindWeights(
    db,
    {
      ruleId,
      userId,
      weights: Object.entries(weights).map(([marketHashName, weight]) => ({
        appId: 730,
        marketHashName,
        weight,
      })),
    },
    START_MS,
  );

async function serve(amount: number, nowMs = START_MS) {
  const viewers = await Promise.all(Array.from({ length: amount }, () => addPerson(db)));
  await watchFor(
    db,
    streamer.twitchId,
    viewers.map(({ twitchId }) => [twitchId, 600]),
  );
  await evaluateChannel(db, streamer.twitchId, nowMs);
}

const chancesOf = async (ruleId: string) =>
  Object.fromEntries(
    ((await listChances(db, [ruleId], START_MS)).get(ruleId) ?? []).map((kind) => [
      kind.marketHashName,
      [kind.free, kind.chance],
    ]),
  );

test('A draw uses and records the current weights, and earlier draws keep theirs', async () => {
  const ruleId = await addRandomRule(db, streamer, { 'Demo case': 20, 'Demo knife': 20 });
  expect(await weigh(ruleId, { 'Demo case': 900, 'Demo knife': 100 })).toEqual({ ok: true, weights: 2 });
  await serve(4);
  await weigh(ruleId, { 'Demo knife': 5000 });
  await serve(4, START_MS + hour);
  const drawn = await drawsOf(db, ruleId);
  const weights = drawn.map(({ candidates }) => candidates.map(({ weight }) => weight));
  expect(weights).toEqual([...Array(4).fill([900, 100]), ...Array(4).fill([900, 5000])]);
  const seed = await seedOf(db, ruleId);
  for (const { number, twitchId, candidates, rewardId } of drawn)
    expect(pickCandidate(seed, { ruleId, number, twitchId }, candidates).rewardId).toBe(rewardId);
});

test('Chances are each kind’s share of the weights of all free kinds', async () => {
  const ruleId = await addRandomRule(db, streamer, { 'Demo case': 1, 'Demo knife': 3 });
  expect(await chancesOf(ruleId)).toEqual({ 'Demo case': [1, 0.5], 'Demo knife': [3, 0.5] });
  await weigh(ruleId, { 'Demo case': 1_000_000 });
  expect((await chancesOf(ruleId))['Demo case']?.[1]).toBeCloseTo(1, 5);
  await weigh(ruleId, { 'Demo case': 3, 'Demo knife': 1 });
  expect(await chancesOf(ruleId)).toEqual({ 'Demo case': [1, 0.75], 'Demo knife': [3, 0.25] });
  await serve(4);
  expect(await chancesOf(ruleId)).toEqual({});
});

test('What cannot be promised now has no chance, and rules with one reward list none', async () => {
  const ruleId = await addRandomRule(db, streamer, { 'Demo case': 1 }, { nowMs: START_MS + hour });
  const one = await addRule(db, streamer, { rewards: 1 });
  expect([...(await listChances(db, [ruleId, one], START_MS + hour)).keys()]).toEqual([ruleId]);
  // Two days earlier the item was still locked.
  expect(await listChances(db, [ruleId, one], START_MS - 2 * day)).toEqual(new Map());
});

test('Only the owner sets weights, for kinds of the rule, within bounds, while it is open', async () => {
  const ruleId = await addRandomRule(db, streamer, { 'Demo case': 1, 'Demo knife': 1 });
  const one = await addRule(db, streamer, { rewards: 1 });
  const refused = (code: WeightRefusal) => ({ ok: false, code });
  const stranger = await addStreamer(db);
  expect(await weigh(ruleId, { 'Demo case': 2 }, stranger.userId)).toEqual(refused('notFound'));
  expect(await weigh(one, { 'Demo case': 2 })).toEqual(refused('notRandom'));
  for (const weight of [0, -1, 1.5, 1_000_001, Number.NaN])
    expect(await weigh(ruleId, { 'Demo knife': 2, 'Demo case': weight })).toEqual(
      refused('weightOutOfBounds'),
    );
  expect(await weigh(ruleId, { 'Demo case': 2, 'Demo glove': 2 })).toEqual(refused('kindUnknown'));
  expect(await chancesOf(ruleId)).toEqual({ 'Demo case': [1, 0.5], 'Demo knife': [1, 0.5] });
  await closeRule(db, { ruleId, userId: streamer.userId }, START_MS);
  expect(await weigh(ruleId, { 'Demo case': 2 })).toEqual(refused('ruleClosed'));
});

test('A kind has one weight: repeating it is no second one, and two that differ are refused', async () => {
  const ruleId = await addRandomRule(db, streamer, { 'Demo case': 1, 'Demo knife': 1 });
  const knife = { appId: 730, marketHashName: 'Demo knife' };
  const weights = (...each: number[]) => each.map((weight) => ({ ...knife, traits: '', weight }));
  const set = (...each: number[]) =>
    setKindWeights(
      db,
      { ruleId, userId: streamer.userId, weights: [{ ...knife, weight: 3 }, ...weights(...each)] },
      START_MS,
    );
  expect(await set(4)).toEqual({ ok: false, code: 'weightsDiffer' });
  expect(await set(3)).toEqual({ ok: true, weights: 1 });
  expect((await chancesOf(ruleId))['Demo knife']?.[1]).toBe(0.75);
  const worn = ['0.2', '0.3'].map((wear) => asset('Demo knife', { wear }));
  await deposit(db, streamer, worn, START_MS - 8 * day);
  const attach = (...each: number[]) => {
    const kinds = each.map((weight, place) => ({ ...knife, wear: worn[place]?.wear, weight, quantity: 1 }));
    return attachRewards(db, { ruleId, userId: streamer.userId, kinds }, START_MS);
  };
  expect(await attach(1, 2)).toEqual({ ok: false, code: 'weightsDiffer' });
  expect(await chancesOf(ruleId)).toMatchObject({ 'Demo knife': [1, 0.75] });
  expect(await attach(1, 1)).toEqual({ ok: true, attached: 2 });
  expect(await chancesOf(ruleId)).toMatchObject({ 'Demo knife': [3, 0.5] });
});

test('Weights added with rewards apply before anybody waiting is served', async () => {
  const ruleId = await addRandomRule(db, streamer, { 'Demo case': 1 });
  await serve(5);
  const assets = ['Demo case', 'Demo case', 'Demo knife', 'Demo knife'].map((kind) => asset(kind));
  await deposit(db, streamer, assets, START_MS - 8 * day);
  const attach = (rule: string, weight: number) =>
    attachRewards(
      db,
      {
        ruleId: rule,
        userId: streamer.userId,
        kinds: [
          { appId: 730, marketHashName: 'Demo case', quantity: 2 },
          { appId: 730, marketHashName: 'Demo knife', quantity: 2, weight },
        ],
      },
      START_MS + hour,
    );
  expect(await attach(ruleId, 0)).toEqual({ ok: false, code: 'weightOutOfBounds' });
  const one = await addRule(db, streamer, { rewards: 0 });
  expect(await attach(one, 5)).toEqual({ ok: false, code: 'notRandom' });
  expect(await attach(ruleId, 5)).toEqual({ ok: true, attached: 4 });
  const [, ...later] = await drawsOf(db, ruleId);
  expect(later[0]?.candidates.map(({ marketHashName, weight }) => [marketHashName, weight])).toEqual([
    ['Demo case', 1],
    ['Demo knife', 5],
  ]);
  expect(later).toHaveLength(4);
});
