import { eq } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { isPostgres } from '#db/dialect.ts';
import { watchGaps } from '#db/schema/channel.ts';
import { qualifications, rules, watchBaselines } from '#db/schema/rule.ts';
import { day, hour, minute } from '#domain/kernel/time.ts';
import { expirePromises } from '#domain/reward/expire-promises.ts';
import { closeRule } from '#domain/rule/close-rule.ts';
import { evaluateChannel } from '#domain/rule/evaluate-channel.ts';
import { pruneClosedRules } from '#domain/rule/prune-closed-rules.ts';
import { exportProof } from '#domain/view/export-proof.ts';
import { getRuleProof } from '#domain/view/get-proof.ts';
import { pruneGaps } from '#domain/watch-time/prune-gaps.ts';
import { addPerson, addRule, START_MS } from '#tests/support/fixtures.ts';
import { rewardsOf } from '#tests/support/looking.ts';
import { addRandomRule } from '#tests/support/random-rule.ts';
import { db, setScene, streamer } from '#tests/support/scene.ts';
import { watchFor } from '#tests/support/watching.ts';

setScene();

const notesOf = async (ruleId: string) => ({
  met: await db.read.$count(qualifications, eq(qualifications.ruleId, ruleId)),
  baselines: await db.read.$count(watchBaselines, eq(watchBaselines.ruleId, ruleId)),
});
const prunedAtMs = async (ruleId: string) => {
  const [rule] = await db.read.select().from(rules).where(eq(rules.id, ruleId));
  return rule?.prunedAtMs;
};
const watch = async (minutes: number, amount: number) => {
  const viewers = await Promise.all(Array.from({ length: amount }, () => addPerson(db)));
  const pairs = viewers.map(({ twitchId }) => [twitchId, minutes * 60] as const);
  await watchFor(db, streamer.twitchId, pairs);
  return pairs;
};
const close = (ruleId: string) => closeRule(db, { ruleId, userId: streamer.userId }, START_MS);

test('Who met a rule, and its baselines, are deleted thirty days after it was closed', async () => {
  const pairs = await watch(5, 3);
  const [closed, open] = [
    await addRule(db, streamer, { watchMinutes: 10, rewards: 0 }),
    await addRule(db, streamer, { watchMinutes: 10, rewards: 0 }),
  ];
  await watchFor(db, streamer.twitchId, pairs.slice(0, 2).concat([[pairs[0]![0], 600]]));
  await evaluateChannel(db, streamer.twitchId, START_MS);
  await close(closed);
  const all = { met: 1, baselines: 3 };
  expect(await pruneClosedRules(db, START_MS + 30 * day)).toBe(0);
  expect(await notesOf(closed)).toEqual(all);
  expect(await pruneClosedRules(db, START_MS + 30 * day + 1)).toBe(4);
  expect([await notesOf(closed), await notesOf(open)]).toEqual([{ met: 0, baselines: 0 }, all]);
  // Each rule is looked at once, however many were ever closed.
  expect([await prunedAtMs(closed), await prunedAtMs(open)]).toEqual([START_MS + 30 * day + 1, null]);
  expect(await pruneClosedRules(db, START_MS + 90 * day)).toBe(0);
});

test('A running promise on a closed rule keeps its records, and draws can still be proven', async () => {
  const ruleId = await addRandomRule(db, streamer, { 'Demo case': 2, 'Demo knife': 1 });
  await watch(10, 2);
  await evaluateChannel(db, streamer.twitchId, START_MS + 29 * day);
  await close(ruleId);
  const laterMs = START_MS + 30 * day + hour;
  expect(await pruneClosedRules(db, laterMs)).toBe(0);
  await expirePromises(db, START_MS + 33 * day, Date.now());
  expect(await pruneClosedRules(db, START_MS + 33 * day)).toBe(2);
  const promised = (await rewardsOf(db, ruleId)).filter(({ twitchId }) => twitchId !== null);
  expect(promised.map(({ state }) => state)).toEqual(['recalled', 'recalled']);
  const proof = await getRuleProof(db, ruleId);
  const page = await exportProof(db, { proof: proof!, after: 0 });
  expect(page.draws.map(({ twitchId }) => twitchId).sort()).toEqual(
    promised.map(({ twitchId }) => twitchId).sort(),
  );
});

test.skipIf(isPostgres)(
  'More than one transaction’s worth is pruned in one call (many rows: on SQLite only)',
  async () => {
    const ruleId = await addRule(db, streamer, { watchMinutes: 10, rewards: 0 });
    await close(ruleId);
    await db.transaction(async (tx) => {
      for (let viewer = 0; viewer < 2001; viewer++)
        await tx.insert(watchBaselines).values({ ruleId, twitchId: `${viewer}`, seconds: 1 });
    });
    expect(await pruneClosedRules(db, START_MS + 31 * day)).toBe(2001);
    expect(await notesOf(ruleId)).toEqual({ met: 0, baselines: 0 });
  },
);

test('A stream’s gaps are deleted after thirty days', async () => {
  const gap = (fromMs: number) => ({
    channelId: streamer.twitchId,
    fromMs,
    untilMs: fromMs + minute,
    reason: 'notPolled' as const,
  });
  await db.transaction(async (tx) => {
    await tx.insert(watchGaps).values([gap(START_MS - 1), gap(START_MS), gap(START_MS + day)]);
  });
  expect(await pruneGaps(db, START_MS + 30 * day)).toBe(1);
  const left = await db.read.select({ fromMs: watchGaps.fromMs }).from(watchGaps);
  expect(left.map(({ fromMs }) => fromMs).sort()).toEqual([START_MS, START_MS + day]);
});
