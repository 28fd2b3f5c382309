import { expect, test } from 'vitest';
import { claimReward } from '#domain/reward/claim-reward.ts';
import { closeRule } from '#domain/rule/close-rule.ts';
import { getUsage } from '#domain/subscription/get-usage.ts';
import { day, hour } from '#domain/time.ts';
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
import { database, setScene, streamer } from '#tests/support/scene.ts';

setScene();

const usageOf = ({ userId }: Person, nowMs = START_MS) => getUsage(database, userId, nowMs);
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
  const ruleId = await addRule(database, streamer, { rewards: 3 });
  await addRule(database, await addStreamer(database), { rewards: 2 });
  expect(await usageOf(streamer)).toMatchObject({ rules: 1, rewardsThisMonth: 3 });
  await closeRule(database, { ruleId, userId: streamer.userId }, START_MS);
  expect(await usageOf(streamer)).toMatchObject({ rules: 0, rewardsThisMonth: 3 });
  expect(await usageOf(streamer, nextMonthMs)).toMatchObject({ rewardsThisMonth: 0 });
});

test('A claim counts from the click, in its month, and not after it ended undelivered', async () => {
  const viewer = await addPerson(database);
  const { rewards } = await promiseTo(database, streamer, [viewer]);
  const rewardId = rewards[0]?.id ?? '';
  await claimReward(database, { rewardId, userId: viewer.userId }, START_MS);
  expect(await usageOf(viewer)).toMatchObject({ claimsThisMonth: 1 });
  expect(await usageOf(viewer, START_MS + 30 * day)).toMatchObject({ claimsThisMonth: 0 });
  const [offer] = await sendQueued(database, START_MS);
  await reportTransfer(database, offer?.id ?? '', { event: 'declined' }, START_MS + hour);
  expect(await usageOf(viewer)).toMatchObject({ claimsThisMonth: 0 });
});
