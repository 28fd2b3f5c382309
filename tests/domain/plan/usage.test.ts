import { expect, test } from 'vitest';
import { claimReward } from '#domain/claim/claim-reward.ts';
import { day, hour } from '#domain/kernel/time.ts';
import { getUsage } from '#domain/plan/get-usage.ts';
import { closeRule } from '#domain/rule/close-rule.ts';
import { sellPlans } from '#domain/subscription/sell-plans.ts';
import { reportTransfer } from '#domain/transfer/report-transfer.ts';
import {
  addPerson,
  addRule,
  addStreamer,
  type Person,
  START_MS,
  sendQueued,
} from '#tests/support/fixtures.ts';
import { promiseTo } from '#tests/support/promises.ts';
import { db, setScene, streamer } from '#tests/support/scene.ts';
import { storeFacts, subscriptionFacts } from '#tests/support/subscribing.ts';

setScene();

const usageOf = ({ userId }: Person, nowMs = START_MS) => getUsage(db, userId, nowMs);
const nextMonthMs = Date.UTC(2026, 1, 1);

test('Nothing is used at first, and the month is the calendar month in UTC', async () => {
  const nothing = { rules: 0, rewardsThisMonth: 0, claimsThisMonth: 0 };
  expect(await usageOf(streamer)).toMatchObject(nothing);
  expect(await usageOf(streamer, nextMonthMs - 1)).toMatchObject({
    limits: { claimsMonth: { resetsAtMs: nextMonthMs } },
  });
  expect(await usageOf(streamer, nextMonthMs)).toMatchObject({
    limits: { rewardsMonth: { resetsAtMs: Date.UTC(2026, 2, 1) } },
  });
});

test('Rules count until they close; rewards count in the month they were attached', async () => {
  const ruleId = await addRule(db, streamer, { rewards: 3 });
  await addRule(db, await addStreamer(db), { rewards: 2 });
  expect(await usageOf(streamer)).toMatchObject({ rules: 1, rewardsThisMonth: 3 });
  await closeRule(db, { ruleId, userId: streamer.userId }, START_MS);
  expect(await usageOf(streamer)).toMatchObject({ rules: 0, rewardsThisMonth: 3 });
  expect(await usageOf(streamer, nextMonthMs)).toMatchObject({ rewardsThisMonth: 0 });
});

test('A claim counts from the click, in its month, and not after it ended undelivered', async () => {
  const viewer = await addPerson(db);
  const { rewards } = await promiseTo(db, streamer, [viewer]);
  const rewardId = rewards[0]?.id ?? '';
  await claimReward(db, { rewardId, userId: viewer.userId }, START_MS);
  expect(await usageOf(viewer)).toMatchObject({ claimsThisMonth: 1 });
  expect(await usageOf(viewer, START_MS + 30 * day)).toMatchObject({ claimsThisMonth: 0 });
  const [offer] = await sendQueued(db, START_MS);
  await reportTransfer(db, offer?.id ?? '', { event: 'declined' }, START_MS + hour);
  expect(await usageOf(viewer)).toMatchObject({ claimsThisMonth: 0 });
});

test('Under a yearly plan usage resets every month on the day it began, twelve times until it renews', async () => {
  await sellPlans(db, true, START_MS);
  const startMs = Date.UTC(2026, 0, 31, 18, 30);
  const endMs = Date.UTC(2027, 0, 31, 18, 30);
  const yearly = (product: 'streamer' | 'viewer') =>
    subscriptionFacts({
      plan: { product, tier: 'basic', period: 'year' },
      anchorMs: startMs,
      periodStartMs: startMs,
      periodEndMs: endMs,
    });
  await storeFacts(db, streamer, [yearly('streamer'), yearly('viewer')], startMs);
  const resets: string[] = [];
  for (let nowMs = startMs; nowMs < endMs; ) {
    const { limits } = await usageOf(streamer, nowMs);
    expect(limits.claimsMonth).toEqual(limits.rewardsMonth);
    expect(limits.rewardsMonth.startsAtMs).toBe(nowMs);
    nowMs = limits.rewardsMonth.resetsAtMs;
    resets.push(new Date(nowMs).toISOString().slice(0, 16));
  }
  expect(resets).toEqual([
    '2026-02-28T18:30',
    '2026-03-31T18:30',
    '2026-04-30T18:30',
    '2026-05-31T18:30',
    '2026-06-30T18:30',
    '2026-07-31T18:30',
    '2026-08-31T18:30',
    '2026-09-30T18:30',
    '2026-10-31T18:30',
    '2026-11-30T18:30',
    '2026-12-31T18:30',
    '2027-01-31T18:30',
  ]);
});

test('What was used before the reset of a yearly plan does not count after it', async () => {
  await sellPlans(db, true, START_MS);
  const plan = { product: 'streamer', tier: 'basic', period: 'year' } as const;
  await storeFacts(db, streamer, [subscriptionFacts({ plan, periodEndMs: START_MS + 365 * day })]);
  await addRule(db, streamer, { rewards: 3 });
  const { limits } = await usageOf(streamer);
  const { resetsAtMs } = limits.rewardsMonth;
  expect(await usageOf(streamer, resetsAtMs - 1)).toMatchObject({ rewardsThisMonth: 3 });
  expect(await usageOf(streamer, resetsAtMs)).toMatchObject({ rewardsThisMonth: 0 });
});
