import { eq } from 'drizzle-orm';
import { beforeEach, expect, test } from 'vitest';
import { mails } from '#db/schema/outbox.ts';
import { rules } from '#db/schema/rule.ts';
import { claimReward } from '#domain/claim/claim-reward.ts';
import { newId } from '#domain/kernel/id.ts';
import { day, hour } from '#domain/kernel/time.ts';
import { getUsage } from '#domain/plan/get-usage.ts';
import { attachRewards } from '#domain/rule/attach-rewards.ts';
import { closeRule } from '#domain/rule/close-rule.ts';
import { createRule } from '#domain/rule/create-rule.ts';
import { fitRules } from '#domain/rule/fit-rules.ts';
import { pauseRulesOf } from '#domain/rule/pause-rules.ts';
import { sellPlans } from '#domain/subscription/sell-plans.ts';
import { reportTransfer } from '#domain/transfer/report-transfer.ts';
import {
  addPerson,
  addRule,
  asset,
  deposit,
  draft,
  type Person,
  START_MS,
  sendQueued,
} from '#tests/support/fixtures.ts';
import { promiseTo } from '#tests/support/promises.ts';
import { resumeRules } from '#tests/support/resuming.ts';
import { db, setScene, streamer } from '#tests/support/scene.ts';
import { storeFacts, subscriptionFacts } from '#tests/support/subscribing.ts';

setScene();
beforeEach(() => sellPlans(db, true, START_MS));

const limitsOf = async ({ userId }: Person, nowMs = START_MS) => (await getUsage(db, userId, nowMs)).limits;
const viewerPlan = (tier: 'basic' | 'expert' | 'pro') =>
  subscriptionFacts({ plan: { product: 'viewer', tier, period: 'month' } });
const statesOf = async ({ userId }: Person) => {
  const rows = await db.read.select().from(rules).where(eq(rules.ownerId, userId)).orderBy(rules.id);
  return rows.map(({ state, pauseReason }) => pauseReason ?? state);
};

test('Without plans for sale everyone has the highest limits', async () => {
  await sellPlans(db, false, START_MS);
  expect(await limitsOf(streamer)).toMatchObject({ rules: 100, rewardsPerMonth: 5000, claimsPerMonth: null });
});

test('Where plans are sold, a user without a subscription is on Free', async () => {
  expect(await limitsOf(streamer)).toMatchObject({
    rules: 1,
    rewardsPerMonth: 10,
    otherChannels: false,
    claimsPerMonth: 3,
    rewardMails: false,
  });
});

test('Both products are held at once, and each gives its own limits', async () => {
  await storeFacts(db, streamer, [subscriptionFacts(), viewerPlan('pro')]);
  expect(await limitsOf(streamer)).toMatchObject({ rules: 5, claimsPerMonth: null, rewardMails: true });
});

test('Usage resets on the anchor’s day each month, also under a yearly plan', async () => {
  const anchorMs = Date.UTC(2025, 10, 20, 8);
  const plan = { product: 'streamer', tier: 'pro', period: 'year' } as const;
  await storeFacts(db, streamer, [subscriptionFacts({ plan, anchorMs })]);
  const { rewardsMonth, claimsMonth } = await limitsOf(streamer);
  expect(rewardsMonth.resetsAtMs).toBe(Date.UTC(2026, 0, 20, 8));
  expect(claimsMonth.resetsAtMs).toBe(Date.UTC(2026, 1, 1));
});

test.each([
  ['grace', { status: 'past_due' }, START_MS + 7 * day],
  ['cancelled', { cancelAtMs: START_MS + 31 * day }, START_MS + 31 * day],
])('A plan in %s is in force until its time, without another word from Stripe', async (_, facts, endMs) => {
  await storeFacts(db, streamer, [subscriptionFacts(facts)]);
  expect(await limitsOf(streamer, endMs - 1)).toMatchObject({ rules: 5 });
  expect(await limitsOf(streamer, endMs)).toMatchObject({ rules: 1 });
});

test('A second rule needs a larger plan, and rewards beyond the month’s limit attach to none', async () => {
  const ruleId = await addRule(db, streamer, { rewards: 4 });
  const request = { requestId: newId(START_MS), userId: streamer.userId, draft: draft() };
  expect(await createRule(db, request, START_MS)).toEqual({ ok: false, code: 'ruleLimit' });
  await deposit(
    db,
    streamer,
    Array.from({ length: 7 }, () => asset()),
  );
  const kinds = [{ appId: 730, marketHashName: 'Demo case', quantity: 7 }];
  const nowMs = START_MS + 8 * day;
  expect(await attachRewards(db, { ruleId, userId: streamer.userId, kinds }, nowMs)).toEqual({
    ok: false,
    code: 'rewardLimit',
  });
  const fewer = kinds.map((kind) => ({ ...kind, quantity: 6 }));
  expect(await attachRewards(db, { ruleId, userId: streamer.userId, kinds: fewer }, nowMs)).toMatchObject({
    ok: true,
  });
});

test('The fourth claim of a month is refused, and one that was not delivered gives its place back', async () => {
  await storeFacts(db, streamer, [subscriptionFacts()]);
  const viewer = await addPerson(db);
  const rewardIds: string[] = [];
  for (let n = 0; n < 4; n++) {
    const { rewards } = await promiseTo(db, streamer, [viewer]);
    rewardIds.push(rewards[0]?.id ?? '');
  }
  const claim = (n: number, nowMs = START_MS) =>
    claimReward(db, { rewardId: rewardIds[n] ?? '', userId: viewer.userId }, nowMs);
  for (const n of [0, 1, 2]) expect(await claim(n)).toMatchObject({ ok: true });
  expect(await claim(3)).toEqual({ ok: false, code: 'claimLimit' });
  expect(await claim(2)).toMatchObject({ ok: true });
  const [offer] = await sendQueued(db, START_MS);
  await reportTransfer(db, offer?.id ?? '', { event: 'declined' }, START_MS + hour);
  expect(await claim(3, START_MS + hour)).toMatchObject({ ok: true });
});

test('A plan that is not paid brings mails about rewards until its grace ends', async () => {
  const unpaid = await addPerson(db);
  const plan = { product: 'viewer', tier: 'pro', period: 'month' } as const;
  await storeFacts(db, unpaid, [subscriptionFacts({ plan, status: 'past_due' })]);
  const { rewardMails } = await limitsOf(unpaid, START_MS + 7 * day - 1);
  expect(rewardMails).toBe(true);
  expect(await limitsOf(unpaid, START_MS + 7 * day)).toMatchObject({ rewardMails: false });
});

test('What is over the limit pauses, newest first, and goes on when there is room', async () => {
  await storeFacts(db, streamer, [subscriptionFacts({ id: 'sub_a' })]);
  const ids: string[] = [];
  for (let n = 0; n < 3; n++) ids.push(await addRule(db, streamer, { rewards: 0 }));
  await storeFacts(db, streamer, [
    subscriptionFacts({ id: 'sub_a', status: 'canceled', endedAtMs: START_MS + day }),
  ]);
  expect(await fitRules(db, streamer.userId, START_MS + day)).toEqual({ paused: 2, resumed: 0 });
  expect(await statesOf(streamer)).toEqual(['open', 'overLimit', 'overLimit']);
  await closeRule(db, { ruleId: ids[0] ?? '', userId: streamer.userId }, START_MS + day);
  expect(await statesOf(streamer)).toEqual(['closed', 'open', 'overLimit']);
  await storeFacts(db, streamer, [subscriptionFacts({ id: 'sub_b', createdAtMs: START_MS + day })]);
  expect(await fitRules(db, streamer.userId, START_MS + day)).toEqual({ paused: 0, resumed: 1 });
  expect(await fitRules(db, streamer.userId, START_MS + day)).toEqual({ paused: 0, resumed: 0 });
});

test('A rule that paused for another reason does not come back past the limit', async () => {
  await storeFacts(db, streamer, [subscriptionFacts({ id: 'sub_a' })]);
  for (let n = 0; n < 3; n++) await addRule(db, streamer, { rewards: 0 });
  await db.transaction((tx) =>
    pauseRulesOf(tx, { ownerId: streamer.userId, reason: 'lostPermission' }, START_MS),
  );
  await storeFacts(db, streamer, [
    subscriptionFacts({ id: 'sub_a', status: 'canceled', endedAtMs: START_MS + day }),
  ]);
  expect(await fitRules(db, streamer.userId, START_MS + day)).toEqual({ paused: 0, resumed: 0 });
  await resumeRules(db, { ownerId: streamer.userId, reason: 'lostPermission' }, START_MS + day);
  expect(await statesOf(streamer)).toEqual(['open', 'overLimit', 'overLimit']);
  await storeFacts(db, streamer, [subscriptionFacts({ id: 'sub_b', createdAtMs: START_MS + day })]);
  expect(await fitRules(db, streamer.userId, START_MS + day)).toEqual({ paused: 0, resumed: 2 });
});

test('An instance that no longer sells plans resumes what was over their limits', async () => {
  await sellPlans(db, false, START_MS);
  for (let n = 0; n < 3; n++) await addRule(db, streamer, { rewards: 0 });
  await sellPlans(db, true, START_MS);
  await fitRules(db, streamer.userId, START_MS);
  expect(await statesOf(streamer)).toEqual(['open', 'overLimit', 'overLimit']);
  await sellPlans(db, false, START_MS + day);
  expect(await statesOf(streamer)).toEqual(['open', 'open', 'open']);
});

test('Rules that a stopped process left over the limits of an instance without plans resume at its next start', async () => {
  await sellPlans(db, false, START_MS);
  for (let n = 0; n < 2; n++) await addRule(db, streamer, { rewards: 0 });
  await db.transaction((tx) => pauseRulesOf(tx, { ownerId: streamer.userId, reason: 'overLimit' }, START_MS));
  await sellPlans(db, false, START_MS + day);
  expect(await statesOf(streamer)).toEqual(['open', 'open']);
});

test('A payment that fails for both products sends a mail for each', async () => {
  const plan = { product: 'viewer', tier: 'pro', period: 'month' } as const;
  const both = [subscriptionFacts({ id: 'sub_a' }), subscriptionFacts({ id: 'sub_b', plan })];
  await storeFacts(db, streamer, both);
  const failed = both.map((facts) => ({ ...facts, status: 'past_due' }));
  await storeFacts(db, streamer, failed);
  await storeFacts(db, streamer, failed);
  const sent = await db.read.select().from(mails).where(eq(mails.template, 'paymentFailed'));
  expect(sent.map(({ values }) => values.product).sort()).toEqual(['streamer', 'viewer']);
});
