import { createHash } from 'node:crypto';
import { eq } from 'drizzle-orm';
import { beforeEach, expect, test } from 'vitest';
import { draws } from '#db/schema/draw.ts';
import { mails } from '#db/schema/outbox.ts';
import { hour } from '#domain/kernel/time.ts';
import { closeRule } from '#domain/rule/close-rule.ts';
import { evaluateChannel } from '#domain/rule/evaluate-channel.ts';
import { getDrawProof, getRuleProof, listDraws } from '#domain/view/get-proof.ts';
import { addPerson, addRule, START_MS } from '#tests/support/fixtures.ts';
import { addRandomRule, seedOf } from '#tests/support/random-rule.ts';
import { db, setScene, streamer } from '#tests/support/scene.ts';
import { watchFor } from '#tests/support/watching.ts';

setScene();
let ruleId: string;
beforeEach(async () => {
  ruleId = await addRandomRule(db, streamer, { 'Demo case': 2, 'Demo knife': 2 });
  const viewers = await Promise.all(Array.from({ length: 3 }, () => addPerson(db)));
  await watchFor(
    db,
    streamer.twitchId,
    viewers.map(({ twitchId }) => [twitchId, 600]),
  );
  await evaluateChannel(db, streamer.twitchId, START_MS);
});

test('A rule’s commitment is public from its creation, its seed only once it is closed', async () => {
  const seed = await seedOf(db, ruleId);
  const commitment = createHash('sha256').update(seed).digest('hex');
  expect(await getRuleProof(db, ruleId)).toMatchObject({
    commitment,
    seed: null,
    state: 'open',
    draws: 3,
  });
  expect(JSON.stringify(await listDraws(db, { ruleId }))).not.toContain(seed);
  await closeRule(db, { ruleId, userId: streamer.userId }, START_MS + hour);
  expect(await getRuleProof(db, ruleId)).toMatchObject({ commitment, seed, state: 'closed' });
});

test('Each winner’s mail names the draw and its fingerprint, to be compared with what is published later', async () => {
  const written = (await db.read.select().from(mails)).filter(
    ({ template }) => template === 'rewardPromised',
  );
  const { rows } = await listDraws(db, { ruleId });
  const published = rows.map(({ number, fingerprint }) => [`${ruleId}/${number}`, fingerprint]);
  expect(written.map(({ values }) => [values.proof, values.fingerprint]).sort()).toEqual(published.sort());
  expect(published).toHaveLength(3);
});

test('Draws are listed in order, page by page, each of them recomputed', async () => {
  const first = await listDraws(db, { ruleId, size: 2 });
  expect(first.rows.map(({ number, agrees }) => [number, agrees])).toEqual([
    [1, true],
    [2, true],
  ]);
  const second = await listDraws(db, { ruleId, size: 2, after: first.next });
  expect(second.rows.map(({ number }) => number)).toEqual([3]);
  expect(second.next).toBeNull();
});

test('A draw shows its candidates with their chances, and its result', async () => {
  const proof = await getDrawProof(db, { ruleId, number: 1 });
  expect(proof?.rule.ruleId).toBe(ruleId);
  expect(proof?.draw.candidates.map(({ marketHashName, chance }) => [marketHashName, chance])).toEqual([
    ['Demo case', 0.5],
    ['Demo knife', 0.5],
  ]);
  const chosen = proof?.draw.candidates.find(({ rewardId }) => rewardId === proof.draw.rewardId);
  expect(proof?.draw).toMatchObject({ chance: 0.5, item: { name: chosen?.marketHashName } });
});

test('A draw changed in the database no longer verifies, and has another fingerprint', async () => {
  const before = (await getDrawProof(db, { ruleId, number: 1 }))?.draw;
  if (!before) throw new Error('there is no draw');
  const other = before.candidates.find(({ rewardId }) => rewardId !== before.rewardId);
  await db.transaction(async (tx) => {
    await tx
      .update(draws)
      .set({ twitchId: 'somebody', candidates: other ? [other] : [] })
      .where(eq(draws.number, 1));
  });
  const after = (await getDrawProof(db, { ruleId, number: 1 }))?.draw;
  expect(before.agrees).toBe(true);
  expect(after?.agrees).toBe(false);
  expect(after?.fingerprint).not.toBe(before.fingerprint);
});

test('A rule without draws has no proof, and neither has a draw that does not exist', async () => {
  const one = await addRule(db, streamer, { rewards: 1 });
  expect(await getRuleProof(db, one)).toBeNull();
  expect(await listDraws(db, { ruleId: one })).toEqual({ rows: [], next: null });
  expect(await getDrawProof(db, { ruleId, number: 4 })).toBeNull();
  expect(await getRuleProof(db, 'nothing')).toBeNull();
});
