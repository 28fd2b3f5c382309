import { eq } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { items } from '#db/schema/item.ts';
import { transferItems } from '#db/schema/transfer.ts';
import { listLatestPoolChanges } from '#domain/draw/pool-changes.ts';
import { decodeCursor } from '#domain/kernel/page.ts';
import { day, hour } from '#domain/kernel/time.ts';
import { expirePromises } from '#domain/reward/expire-promises.ts';
import { attachRewards } from '#domain/rule/attach-rewards.ts';
import { detachRewards } from '#domain/rule/detach-rewards.ts';
import { evaluateChannel } from '#domain/rule/evaluate-channel.ts';
import { setKindWeights } from '#domain/rule/set-kind-weights.ts';
import { reportTransfer } from '#domain/transfer/report-transfer.ts';
import { exportChanges, exportProof } from '#domain/view/export-proof.ts';
import { getRuleProof } from '#domain/view/get-proof.ts';
import { addPerson, addRule, asset, deposit, START_MS } from '#tests/support/fixtures.ts';
import { addRandomRule, kindsOf } from '#tests/support/random-rule.ts';
import { db, setScene, streamer } from '#tests/support/scene.ts';
import { watchFor } from '#tests/support/watching.ts';

setScene();

const kind = (marketHashName: string) => ({ appId: 730, marketHashName });
const owned = (ruleId: string) => ({ ruleId, userId: streamer.userId });

async function drawFor(amount: number, nowMs: number) {
  const viewers = await Promise.all(Array.from({ length: amount }, () => addPerson(db)));
  await watchFor(
    db,
    streamer.twitchId,
    viewers.map(({ twitchId }) => [twitchId, 600]),
  );
  await evaluateChannel(db, streamer.twitchId, nowMs);
}

const weigh = (ruleId: string, weights: Record<string, number>, nowMs: number) =>
  setKindWeights(
    db,
    {
      ...owned(ruleId),
      weights: Object.entries(weights).map(([name, weight]) => ({ ...kind(name), weight })),
    },
    nowMs,
  );

const proofOf = async (ruleId: string) => {
  const proof = await getRuleProof(db, ruleId);
  if (!proof) throw new Error('the rule draws nothing');
  return proof;
};

test('What is set before the first draw is no change; afterwards each weight and amount is listed', async () => {
  const ruleId = await addRandomRule(db, streamer, { 'Demo case': 4, 'Demo knife': 4 });
  await weigh(ruleId, { 'Demo case': 900, 'Demo knife': 100 }, START_MS);
  await drawFor(2, START_MS);
  expect(await proofOf(ruleId)).toMatchObject({ draws: 2, changes: 0 });
  await weigh(ruleId, { 'Demo case': 900, 'Demo knife': 5 }, START_MS + hour);
  await deposit(db, streamer, [asset('Demo mug'), asset('Demo mug')], START_MS - 8 * day);
  const added = [{ ...kind('Demo mug'), quantity: 2, weight: 7 }];
  await attachRewards(db, { ...owned(ruleId), kinds: added }, START_MS + 2 * hour);
  await drawFor(1, START_MS + 3 * hour);
  const taken = [{ ...kind('Demo case'), quantity: 1 }];
  await detachRewards(db, { ...owned(ruleId), kinds: taken }, START_MS + 4 * hour);
  expect(await listLatestPoolChanges(db.read, ruleId)).toEqual([
    {
      atMs: START_MS + 4 * hour,
      afterDraw: 3,
      appId: 730,
      lastAtMs: START_MS + 4 * hour,
      times: 1,
      kindName: 'Demo case',
      cause: 'removed',
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
      lastAtMs: START_MS + hour,
      times: 1,
      kindName: 'Demo knife',
      cause: 'weighed',
      added: 0,
      weightBefore: 100,
      weight: 5,
    },
  ]);
  expect(await proofOf(ruleId)).toMatchObject({ changes: 4 });
});

test('The data has every change once, in the page of the draw that it follows', async () => {
  const ruleId = await addRandomRule(db, streamer, { 'Demo case': 8 });
  for (const [place, weight] of [2, 3, 4].entries()) {
    await drawFor(1, START_MS + place * hour);
    await weigh(ruleId, { 'Demo case': weight }, START_MS + place * hour + 1);
  }
  const proof = await proofOf(ruleId);
  const pages = [];
  for (const after of [0, 1, 2])
    pages.push(await exportProof(db, { proof, after }, { draws: 1, candidates: 9 }));
  expect(pages.map(({ draws, changes }) => [draws.map(({ number }) => number), changes])).toEqual(
    [1, 2, 3].map((number) => [
      [number],
      [
        {
          at: new Date(START_MS + (number - 1) * hour + 1).toISOString(),
          lastAt: new Date(START_MS + (number - 1) * hour + 1).toISOString(),
          times: 1,
          cause: 'weighed',
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
  const ruleId = await addRandomRule(db, streamer, { 'Demo case': 2 });
  await drawFor(1, START_MS);
  await weigh(ruleId, { 'Demo case': 0 }, START_MS + hour);
  const tooMany = [{ ...kind('Demo case'), quantity: 9 }];
  await detachRewards(db, { ...owned(ruleId), kinds: tooMany }, START_MS + hour);
  await attachRewards(db, { ...owned(ruleId), kinds: tooMany }, START_MS + hour);
  expect(await listLatestPoolChanges(db.read, ruleId)).toEqual([]);
  const plain = await addRule(db, streamer, { rewards: 1 });
  await deposit(db, streamer, [asset('Demo mug')], START_MS - 8 * day);
  const kinds = [{ ...kind('Demo mug'), quantity: 1 }];
  expect(await attachRewards(db, { ...owned(plain), kinds }, START_MS)).toMatchObject({ ok: true });
  expect(await listLatestPoolChanges(db.read, plain)).toEqual([]);
});

test('What happens to a kind several times before the next draw is one row with its count, and every draw starts anew', async () => {
  const ruleId = await addRandomRule(db, streamer, { 'Demo case': 9 });
  await drawFor(1, START_MS);
  for (const [place, weight] of [5, 9, 1].entries())
    await weigh(ruleId, { 'Demo case': weight }, START_MS + place * hour);
  await deposit(
    db,
    streamer,
    [1, 2, 3].map(() => asset('Demo mug')),
    START_MS - 8 * day,
  );
  // One request may name a kind twice.
  const mugs = [1, 2].map((quantity) => ({ ...kind('Demo mug'), quantity }));
  await attachRewards(db, { ...owned(ruleId), kinds: mugs }, START_MS + 3 * hour);
  for (const place of [4, 5])
    await detachRewards(
      db,
      { ...owned(ruleId), kinds: [{ ...kind('Demo case'), quantity: 2 }] },
      START_MS + place * hour,
    );
  await drawFor(1, START_MS + 6 * hour);
  await weigh(ruleId, { 'Demo case': 7 }, START_MS + 7 * hour);
  const listed = (await listLatestPoolChanges(db.read, ruleId)).map((change) => [
    change.afterDraw,
    `${change.cause} ${change.kindName}`,
    change.times,
    (change.atMs - START_MS) / hour,
    (change.lastAtMs - START_MS) / hour,
    change.added || `${change.weightBefore} → ${change.weight}`,
  ]);
  expect(listed).toEqual([
    [2, 'weighed Demo case', 1, 7, 7, '1 → 7'],
    [1, 'removed Demo case', 2, 4, 5, -4],
    [1, 'added Demo mug', 1, 3, 3, 3],
    [1, 'weighed Demo case', 3, 0, 2, '1 → 1'],
  ]);
  expect(await proofOf(ruleId)).toMatchObject({ changes: 7 });
});

test('A reward that comes back from a promise, or ends while it is free, is told; one that ends promised is not', async () => {
  const ruleId = await addRandomRule(db, streamer, { 'Demo case': 1, 'Demo knife': 1 });
  await drawFor(1, START_MS);
  const kindIn = async (state: string) =>
    (await kindsOf(db, ruleId)).find((reward) => reward.state === state)?.kind;
  const given = await kindIn('promised');
  const late = START_MS + 4 * day;
  expect(await expirePromises(db, late, Date.now())).toBe(1);
  const returned = { afterDraw: 1, kindName: given, cause: 'returned', added: 1, atMs: late };
  expect(await listLatestPoolChanges(db.read, ruleId)).toEqual([expect.objectContaining(returned)]);
  await drawFor(1, late + hour);
  const free = await kindIn('free');
  const [item] = await db.read.select().from(items).where(eq(items.marketHashName, 'Demo case'));
  const [deposited] = await db.read
    .select()
    .from(transferItems)
    .where(eq(transferItems.itemId, item?.id ?? ''));
  await reportTransfer(db, deposited?.transferId ?? '', { event: 'reversed' }, late + day);
  expect(await listLatestPoolChanges(db.read, ruleId)).toEqual([
    expect.objectContaining({ afterDraw: 2, kindName: free, cause: 'lost', added: -1, atMs: late + day }),
    expect.objectContaining(returned),
  ]);
});

test('The data gives many changes in pages, each once and in the order of draws', async () => {
  const names = ['Demo case', 'Demo gloves', 'Demo knife', 'Demo mug', 'Demo sticker'];
  const ruleId = await addRandomRule(db, streamer, Object.fromEntries(names.map((name) => [name, 3])));
  for (const [place, weight] of [2, 3].entries()) {
    await drawFor(1, START_MS + place * hour);
    await weigh(ruleId, Object.fromEntries(names.map((name) => [name, weight])), START_MS + place * hour);
  }
  const proof = await proofOf(ruleId);
  const first = await exportProof(db, { proof, after: 0 }, { changes: 3 });
  const pages = [first.changes];
  for (let more = first.moreChanges; more !== null; ) {
    const place = decodeCursor(more, ['number', 'text']);
    const page = await exportChanges(db, { ruleId, after: 0, upTo: 2, place }, 3);
    pages.push(page.changes);
    more = page.moreChanges;
  }
  expect(pages.map((page) => page.map(({ afterDraw }) => afterDraw))).toEqual([
    [1, 1, 1],
    [1, 1, 2],
    [2, 2, 2],
    [2],
  ]);
  const kinds = pages.flat().map(({ afterDraw, marketHashName }) => `${afterDraw} ${marketHashName}`);
  expect(new Set(kinds).size).toBe(10);
});
