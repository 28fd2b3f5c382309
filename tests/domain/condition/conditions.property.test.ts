import { eq } from 'drizzle-orm';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isPostgres } from '#db/dialect.ts';
import { attendances, channels, follows, stamps, subscribers, watchTimes } from '#db/schema/channel.ts';
import { qualifications, type SubscriberTier } from '#db/schema/rule.ts';
import { type Conditions, requiredColumns, startsAtZero } from '#domain/condition/conditions.ts';
import { hasNoConditions } from '#domain/condition/no-conditions.ts';
import { day } from '#domain/kernel/time.ts';
import { evaluateChannel } from '#domain/rule/evaluate-channel.ts';
import { tryRule } from '#domain/rule/try-rule.ts';
import { progressOfViewer } from '#domain/view/progress-of-viewer.ts';
import { openTestDatabase, type TestDatabase } from '#tests/support/database.ts';
import { addPerson, addRule, addStreamer, type Person, START_MS } from '#tests/support/fixtures.ts';

const runs = Number(process.env.PROPERTY_RUNS ?? (isPostgres ? 5 : 25));
const seed = Number(process.env.PROPERTY_SEED ?? 20_261_123);

const tier = fc.constantFrom<SubscriberTier>(1, 2, 3);
const rule: fc.Arbitrary<Conditions> = fc
  .record({
    watchMinutes: fc.option(fc.integer({ min: 1, max: 8 })),
    watchScope: fc.constantFrom<'sinceRule' | 'allTime'>('sinceRule', 'allTime'),
    attendedStreams: fc.option(fc.integer({ min: 1, max: 3 })),
    longer: fc.option(fc.integer({ min: 0, max: 2 })),
    followDays: fc.option(fc.integer({ min: 1, max: 4 })),
    subscriberTier: fc.option(tier),
    pointsCost: fc.constantFrom(null, null, null, 100),
  })
  .map(({ longer, ...asked }) => ({
    ...asked,
    ofLastStreams: asked.attendedStreams === null || longer === null ? null : asked.attendedStreams + longer,
  }))
  .filter((asked) => !hasNoConditions(asked, requiredColumns));

const STREAMS_BEFORE = 4;
const STREAMS_UP_TO = 9;
const streamsFrom = (min: number, max: number) =>
  fc.uniqueArray(fc.integer({ min, max }), { maxLength: 4 }).map((numbers) => numbers.sort((a, b) => a - b));

/** Minutes watched and streams attended before the rules began and since, and days of following. */
const viewer = fc.record({
  streamsBefore: streamsFrom(1, STREAMS_BEFORE),
  streamsSince: streamsFrom(STREAMS_BEFORE + 1, STREAMS_UP_TO),
  verified: fc.integer({ min: 0, max: 4 }).map((n) => n > 0),
  before: fc.integer({ min: 0, max: 6 }),
  since: fc.integer({ min: 0, max: 8 }),
  followed: fc.option(fc.integer({ min: 0, max: 6 })),
  tier: fc.option(tier),
});
type Viewer = Person & { facts: typeof viewer extends fc.Arbitrary<infer Facts> ? Facts : never };

async function watch(store: TestDatabase, channelId: string, viewers: readonly Viewer[], since: boolean) {
  await store.transaction(async (tx) => {
    await tx.delete(watchTimes);
    for (const { twitchId, facts } of viewers) {
      const rolledSeconds = facts.before * 60;
      const seconds = rolledSeconds + (since ? facts.since * 60 : 0);
      if (seconds > 0)
        await tx
          .insert(watchTimes)
          .values({ channelId, twitchId, seconds, rolledSeconds, nextCheckSeconds: 0 });
    }
  });
}

async function attend(store: TestDatabase, channelId: string, viewers: readonly Viewer[], since: boolean) {
  await store.transaction(async (tx) => {
    const streamNumber = since ? STREAMS_UP_TO : STREAMS_BEFORE;
    await tx.update(channels).set({ streamNumber }).where(eq(channels.id, channelId));
    for (const { twitchId, facts } of viewers) {
      const { streamsBefore, streamsSince } = facts;
      const [first, numbers] = since ? [streamsBefore.length, streamsSince] : [0, streamsBefore];
      for (const [i, streamNumber] of numbers.entries())
        await tx.insert(stamps).values({ channelId, twitchId, number: first + i + 1, streamNumber });
      const last = numbers.at(-1);
      if (last === undefined) continue;
      const row = { streams: first + numbers.length, streamNumber: last, fromSeconds: 0, attended: true };
      await tx
        .insert(attendances)
        .values({ channelId, twitchId, ...row })
        .onConflictDoUpdate({ target: [attendances.channelId, attendances.twitchId], set: row });
    }
  });
}

async function learn(store: TestDatabase, channelId: string, viewers: readonly Viewer[]) {
  await store.transaction(async (tx) => {
    await tx.update(channels).set({ rolledUpToMs: START_MS }).where(eq(channels.id, channelId));
    for (const { twitchId, facts } of viewers) {
      const followedAtMs = START_MS - (facts.followed ?? 0) * day;
      if (facts.followed !== null) await tx.insert(follows).values({ channelId, twitchId, followedAtMs });
      if (facts.tier !== null) await tx.insert(subscribers).values({ channelId, twitchId, tier: facts.tier });
    }
  });
}

/** Viewers whose progress says that they met a rule, as lines of rule and viewer. */
async function metByProgress(store: TestDatabase, channelId: string, viewers: readonly Viewer[]) {
  const lines: string[] = [];
  for (const { twitchId } of viewers) {
    const shown = await progressOfViewer(store, { channelId, twitchId }, START_MS);
    for (const { ruleId, progress } of shown.ok ? shown.rules : [])
      if (progress.met) lines.push(`${ruleId} ${twitchId}`);
  }
  return lines.sort();
}

test('A rule lists exactly those who see it as met, and whom its dry run counts', async () => {
  const property = fc.asyncProperty(
    fc.array(rule, { minLength: 1, maxLength: 4 }),
    fc.array(viewer, { minLength: 1, maxLength: 5 }),
    async (asked, people) => {
      await using store = await openTestDatabase();
      const streamer = await addStreamer(store);
      const { twitchId: channelId, userId } = streamer;
      const viewers: Viewer[] = [];
      for (const facts of people) {
        const person = await addPerson(store, { verified: facts.verified });
        viewers.push({ ...person, facts });
      }
      await watch(store, channelId, viewers, false);
      await attend(store, channelId, viewers, false);
      const opened = new Map<string, Conditions>();
      for (const conditions of asked)
        opened.set(await addRule(store, streamer, { ...conditions, rewards: 0 }), conditions);
      await watch(store, channelId, viewers, true);
      await attend(store, channelId, viewers, true);
      await learn(store, channelId, viewers);
      await evaluateChannel(store, channelId, START_MS);

      const listed = await store.read.select().from(qualifications);
      const lines = listed.map(({ ruleId, twitchId }) => `${ruleId} ${twitchId}`).sort();
      expect(await metByProgress(store, channelId, viewers), 'progress').toEqual(lines);

      const watchedLately = new Set(
        viewers.filter(({ facts }) => facts.since > 0).map((each) => each.twitchId),
      );
      for (const [ruleId, conditions] of opened) {
        const trial = { userId, channelId, conditions, fromMs: START_MS - day, nowMs: START_MS };
        const { registered, atOnce } = await tryRule(store, trial);
        const ofRule = listed.filter((each) => each.ruleId === ruleId);
        const lately = ofRule.filter(({ twitchId }) => watchedLately.has(twitchId));
        const isKnown = conditions.pointsCost === null && conditions.attendedStreams === null;
        if (isKnown) expect(registered, 'dry run').toBe(lately.length);
        expect(atOnce, 'promised on opening').toBe(startsAtZero(conditions) ? 0 : ofRule.length);
      }
    },
  );
  await fc.assert(property, { numRuns: runs, seed, interruptAfterTimeLimit: 60_000 });
});
