import { eq } from 'drizzle-orm';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { isPostgres } from '#db/dialect.ts';
import { follows, subscribers, watchTimes } from '#db/schema/channel.ts';
import { qualifications, rules, type SubscriberTier } from '#db/schema/rule.ts';
import { channelLock } from '#domain/kernel/locks.ts';
import { day, minute } from '#domain/kernel/time.ts';
import { serveWaiting } from '#domain/reward/serve-waiting.ts';
import { evaluateChannel } from '#domain/rule/evaluate-channel.ts';
import { mayHaveMet } from '#domain/rule/may-have-met.ts';
import { findNewcomers, tieBreak } from '#domain/rule/qualify.ts';
import { addCrowd, withOthers } from '#tests/support/crowd.ts';
import { openTestDatabase } from '#tests/support/database.ts';
import { addPerson, addRule, addStreamer, START_MS } from '#tests/support/fixtures.ts';
import { rewardsOf } from '#tests/support/looking.ts';
import { db, setScene, streamer } from '#tests/support/scene.ts';

setScene();

// A transaction's duration decides the next one's size: here none takes any time.
beforeEach(() => {
  vi.spyOn(performance, 'now').mockReturnValue(0);
});
afterEach(() => {
  vi.restoreAllMocks();
});

test('Others write between the slices of a sweep, and serve the next in line', async () => {
  const ruleId = await addRule(db, streamer, { watchMinutes: 10, rewards: 60 });
  const crowd = await addCrowd(db, streamer.twitchId, 1100);
  const [rule] = await db.read.select().from(rules).where(eq(rules.id, ruleId));
  let listed = 0;
  const store = withOthers(db, async (nth) => {
    if (nth > 1) return;
    listed = await db.read.$count(qualifications);
    await db.transaction((tx) => serveWaiting(tx, [ruleId], START_MS + minute), {
      lock: channelLock(streamer.twitchId),
    });
  });
  expect(await evaluateChannel(store, streamer.twitchId, START_MS)).toBe(1100);
  expect(listed).toBe(500);
  expect(store.transactions).toBe(3);
  const order = [...crowd].sort((a, b) => (tieBreak(rule!.seed, a) < tieBreak(rule!.seed, b) ? -1 : 1));
  const promised = (await rewardsOf(db, ruleId)).map(({ twitchId }) => twitchId);
  expect(promised).toEqual(order.slice(0, 60));
});

test('A sweep without new viewers writes only what it serves', async () => {
  await addRule(db, streamer, { watchMinutes: 10, rewards: 1 });
  const store = withOthers(db, async () => {});
  expect(await evaluateChannel(store, streamer.twitchId, START_MS)).toBe(0);
  expect(store.transactions).toBe(1);
});

test('A viewer who left between being found and being stored is not stored', async () => {
  const ruleId = await addRule(db, streamer, { watchMinutes: 10, rewards: 0 });
  await addCrowd(db, streamer.twitchId, 1100);
  const [first] = await db.read.select().from(rules).where(eq(rules.id, ruleId));
  const store = withOthers(db, async () => {
    await db.transaction(async (tx) => {
      await tx.update(rules).set({ state: 'closed', closedAtMs: START_MS }).where(eq(rules.id, first!.id));
    });
  });
  expect(await evaluateChannel(store, streamer.twitchId, START_MS)).toBe(500);
});

const tier = fc.constantFrom<SubscriberTier>(1, 2, 3);
const asks = fc
  .record({
    watchMinutes: fc.option(fc.integer({ min: 1, max: 30 })),
    watchScope: fc.constantFrom<'sinceRule' | 'allTime'>('sinceRule', 'allTime'),
    followDays: fc.option(fc.integer({ min: 1, max: 20 })),
    subscriberTier: fc.option(tier),
  })
  .filter(
    (asked) => asked.watchMinutes !== null || asked.followDays !== null || asked.subscriberTier !== null,
  );
const viewer = fc.record({
  verified: fc.boolean(),
  before: fc.integer({ min: 0, max: 20 }),
  watched: fc.option(fc.integer({ min: 0, max: 40 })),
  follows: fc.option(fc.integer({ min: 0, max: 30 })),
  tier: fc.option(tier),
});

test('A sweep finds the same viewers as a full evaluation, however small its slices', async () => {
  const property = fc.asyncProperty(
    fc.array(asks, { minLength: 1, maxLength: 5 }),
    fc.array(viewer, { minLength: 1, maxLength: 8 }),
    async (asked, people) => {
      await using store = await openTestDatabase();
      const broadcaster = await addStreamer(store);
      const { twitchId: channelId } = broadcaster;
      const viewers: ((typeof people)[number] & { twitchId: string })[] = [];
      for (const facts of people) {
        const { twitchId } = await addPerson(store, { verified: facts.verified });
        viewers.push({ ...facts, twitchId });
      }
      const watch = (before: boolean) =>
        store.transaction(async (tx) => {
          await tx.delete(watchTimes);
          for (const { twitchId, before: early, watched } of viewers) {
            const seconds = (early + (before ? 0 : (watched ?? 0))) * 60;
            if (watched !== null)
              await tx.insert(watchTimes).values({ channelId, twitchId, seconds, nextCheckSeconds: 0 });
          }
        });
      await watch(true);
      for (const rule of asked) await addRule(store, broadcaster, { ...rule, rewards: 0 });
      await watch(false);
      await store.transaction(async (tx) => {
        for (const { twitchId, follows: days, tier } of viewers) {
          const followedAtMs = START_MS - (days ?? 0) * day;
          if (days !== null) await tx.insert(follows).values({ channelId, twitchId, followedAtMs });
          if (tier !== null) await tx.insert(subscribers).values({ channelId, twitchId, tier });
        }
      });
      const everybody = await findNewcomers(store.read, { rules: eq(rules.channelId, channelId) }, START_MS);
      const due = new Set<string>();
      for await (const some of mayHaveMet(store.read, await store.read.select().from(rules), START_MS, 2))
        for (const twitchId of some) due.add(twitchId);
      expect([...due].sort()).toEqual([...new Set(everybody.map(({ twitchId }) => twitchId))].sort());
      expect(await evaluateChannel(store, channelId, START_MS)).toBe(everybody.length);
      expect(await evaluateChannel(store, channelId, START_MS)).toBe(0);
    },
  );
  await fc.assert(property, {
    numRuns: isPostgres ? 5 : 25,
    seed: 20_261_122,
    interruptAfterTimeLimit: 60_000,
  });
});
