import { expect, test } from 'vitest';
import { exportProof } from '#domain/draw/export-proof.ts';
import { getRuleProof } from '#domain/draw/get-proof.ts';
import { listLatestPoolChanges } from '#domain/draw/pool-changes.ts';
import { setKindWeights } from '#domain/draw/set-kind-weights.ts';
import { attachRewards } from '#domain/reward/attach-rewards.ts';
import { detachRewards } from '#domain/reward/detach-rewards.ts';
import { evaluateChannel } from '#domain/rule/evaluate-channel.ts';
import { day, hour } from '#domain/time.ts';
import { addPerson, addRule, asset, deposit, START_MS } from '#tests/support/fixtures.ts';
import { addRandomRule } from '#tests/support/random-rule.ts';
import { database, setScene, streamer } from '#tests/support/scene.ts';
import { watchFor } from '#tests/support/watching.ts';

setScene();

const kind = (marketHashName: string) => ({ appId: 730, marketHashName });
const owned = (ruleId: string) => ({ ruleId, userId: streamer.userId });

async function drawFor(amount: number, nowMs: number) {
  const viewers = await Promise.all(Array.from({ length: amount }, () => addPerson(database)));
  await watchFor(
    database,
    streamer.twitchId,
    viewers.map(({ twitchId }) => [twitchId, 600]),
  );
  await evaluateChannel(database, streamer.twitchId, nowMs);
}

const weigh = (ruleId: string, weights: Record<string, number>, nowMs: number) =>
  setKindWeights(
    database,
    {
      ...owned(ruleId),
      weights: Object.entries(weights).map(([name, weight]) => ({ ...kind(name), weight })),
    },
    nowMs,
  );

const proofOf = async (ruleId: string) => {
  const proof = await getRuleProof(database, ruleId);
  if (!proof) throw new Error('the rule draws nothing');
  return proof;
};

test('What is set before the first draw is no change; afterwards each weight and amount is listed', async () => {
  const ruleId = await addRandomRule(database, streamer, { 'Demo case': 4, 'Demo knife': 4 });
  await weigh(ruleId, { 'Demo case': 900, 'Demo knife': 100 }, START_MS);
  await drawFor(2, START_MS);
  expect(await proofOf(ruleId)).toMatchObject({ draws: 2, changes: 0 });
  await weigh(ruleId, { 'Demo case': 900, 'Demo knife': 5 }, START_MS + hour);
  await deposit(database, streamer, [asset('Demo mug'), asset('Demo mug')], START_MS - 8 * day);
  const added = [{ ...kind('Demo mug'), quantity: 2, weight: 7 }];
  await attachRewards(database, { ...owned(ruleId), kinds: added }, START_MS + 2 * hour);
  await drawFor(1, START_MS + 3 * hour);
  const taken = [{ ...kind('Demo case'), quantity: 1 }];
  await detachRewards(database, { ...owned(ruleId), kinds: taken }, START_MS + 4 * hour);
  expect(await listLatestPoolChanges(database.read, ruleId)).toEqual([
    {
      atMs: START_MS + 4 * hour,
      afterDraw: 3,
      appId: 730,
      kindName: 'Demo case',
      added: -1,
      weightBefore: null,
      weight: null,
    },
    expect.objectContaining({ afterDraw: 2, kindName: 'Demo mug', weightBefore: 1, weight: 7 }),
    expect.objectContaining({ afterDraw: 2, kindName: 'Demo mug', added: 2, weight: null }),
    {
      atMs: START_MS + hour,
      afterDraw: 2,
      appId: 730,
      kindName: 'Demo knife',
      added: 0,
      weightBefore: 100,
      weight: 5,
    },
  ]);
  expect(await proofOf(ruleId)).toMatchObject({ changes: 4 });
});

test('The data has every change once, in the page of the draw that it follows', async () => {
  const ruleId = await addRandomRule(database, streamer, { 'Demo case': 8 });
  for (const [place, weight] of [2, 3, 4].entries()) {
    await drawFor(1, START_MS + place * hour);
    await weigh(ruleId, { 'Demo case': weight }, START_MS + place * hour + 1);
  }
  const proof = await proofOf(ruleId);
  const pages = [];
  for (const after of [0, 1, 2])
    pages.push(await exportProof(database, { proof, after }, { draws: 1, candidates: 9 }));
  expect(pages.map(({ draws, changes }) => [draws.map(({ number }) => number), changes])).toEqual(
    [1, 2, 3].map((number) => [
      [number],
      [
        {
          at: new Date(START_MS + (number - 1) * hour + 1).toISOString(),
          afterDraw: number,
          ...kind('Demo case'),
          added: 0,
          weight: { before: number, after: number + 1 },
        },
      ],
    ]),
  );
});

test('A change that is refused, or on a rule without draws, leaves nothing', async () => {
  const ruleId = await addRandomRule(database, streamer, { 'Demo case': 2 });
  await drawFor(1, START_MS);
  await weigh(ruleId, { 'Demo case': 0 }, START_MS + hour);
  const tooMany = [{ ...kind('Demo case'), quantity: 9 }];
  await detachRewards(database, { ...owned(ruleId), kinds: tooMany }, START_MS + hour);
  await attachRewards(database, { ...owned(ruleId), kinds: tooMany }, START_MS + hour);
  expect(await listLatestPoolChanges(database.read, ruleId)).toEqual([]);
  const plain = await addRule(database, streamer, { rewards: 1 });
  await deposit(database, streamer, [asset('Demo mug')], START_MS - 8 * day);
  const kinds = [{ ...kind('Demo mug'), quantity: 1 }];
  expect(await attachRewards(database, { ...owned(plain), kinds }, START_MS)).toMatchObject({ ok: true });
  expect(await listLatestPoolChanges(database.read, plain)).toEqual([]);
});
