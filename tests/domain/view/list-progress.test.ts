import { beforeEach, expect, test } from 'vitest';
import { watchGaps } from '#db/schema/channel.ts';
import { claimReward } from '#domain/claim/claim-reward.ts';
import { conditionProgress, type ViewerFacts } from '#domain/condition/conditions.ts';
import { day, hour } from '#domain/kernel/time.ts';
import { expirePromises } from '#domain/reward/expire-promises.ts';
import { attachRewards } from '#domain/rule/attach-rewards.ts';
import { closeRule } from '#domain/rule/close-rule.ts';
import { detachRewards } from '#domain/rule/detach-rewards.ts';
import { evaluateChannel } from '#domain/rule/evaluate-channel.ts';
import { pauseRulesOf } from '#domain/rule/pause-rules.ts';
import { getMyReward, listMyRewards } from '#domain/view/list-my-rewards.ts';
import { listProgress, progressStatuses } from '#domain/view/list-progress.ts';
import { noProgress, nothingAsked } from '#tests/support/conditions.ts';
import {
  acceptOffer,
  addPerson,
  addRule,
  addStreamer,
  asset,
  deposit,
  type Person,
  START_MS,
  sendQueued,
} from '#tests/support/fixtures.ts';
import { recordFollows } from '#tests/support/follows.ts';
import { db, setScene, streamer } from '#tests/support/scene.ts';
import { watchFor } from '#tests/support/watching.ts';

setScene();
let viewer: Person;
beforeEach(async () => {
  viewer = await addPerson(db);
});

const watch = (seconds: number, twitchId = viewer.twitchId) =>
  watchFor(db, streamer.twitchId, [[twitchId, seconds]]);
const evaluate = (nowMs: number) => evaluateChannel(db, streamer.twitchId, nowMs);
const progress = (more: object = {}, nowMs = START_MS) =>
  listProgress(db, { userId: viewer.userId, ...more }, nowMs);
const mine = (...states: ('promised' | 'reserved' | 'claimed' | 'recalled')[]) =>
  listMyRewards(db, { userId: viewer.userId, states });

const unknown = {
  watchedSeconds: 0,
  baselineSeconds: 0,
  followedAtMs: null,
  tier: null,
  redeemedAtMs: null,
} as ViewerFacts;

test('Conditions count whole seconds and days, and a baseline never makes progress negative', () => {
  const rule = { ...nothingAsked, watchMinutes: 10, followDays: 2 };
  const seen = (watchedSeconds: number, baselineSeconds: number, followedAtMs: number | null) =>
    conditionProgress(rule, { ...unknown, watchedSeconds, baselineSeconds, followedAtMs }, START_MS);
  expect(seen(700, 100, START_MS - 2 * day)).toMatchObject({
    watch: { haveSeconds: 600, needSeconds: 600, met: true },
    follow: { haveDays: 2, needDays: 2, met: true },
    met: true,
  });
  expect(seen(700, 101, START_MS - 2 * day + 1)).toMatchObject({
    watch: { haveSeconds: 599, met: false },
    follow: { haveDays: 1, metAtMs: START_MS + 1, met: false },
    met: false,
  });
  expect(seen(5, 10, null)).toMatchObject({ watch: { haveSeconds: 0 }, follow: { haveDays: 0, met: false } });
  const allTime = { ...nothingAsked, watchMinutes: 10, watchScope: 'allTime' } as const;
  const full = { ...unknown, watchedSeconds: 600, baselineSeconds: 600 };
  expect(conditionProgress(allTime, full, START_MS)).toEqual({
    ...noProgress,
    watch: { haveSeconds: 600, needSeconds: 600, met: true },
  });
});

test('A subscription of the required tier or a higher one counts, and so does an open redemption', () => {
  const seen = (tier: 1 | 2 | 3 | null, redeemedAtMs: number | null) =>
    conditionProgress(
      { ...nothingAsked, subscriberTier: 2, pointsCost: 500 },
      { ...unknown, tier, redeemedAtMs },
      START_MS,
    );
  expect(seen(1, START_MS)).toMatchObject({
    subscriber: { haveTier: 1, needTier: 2, met: false },
    points: { cost: 500, met: true },
    met: false,
  });
  expect(seen(3, null)).toMatchObject({ subscriber: { met: true }, points: { met: false }, met: false });
  expect(seen(2, START_MS)).toMatchObject({ met: true });
});

test('A viewer sees rules of channels they watched, with their progress and the free rewards', async () => {
  await watch(500);
  const ruleId = await addRule(db, streamer, { name: 'One hour', watchMinutes: 60, rewards: 2 });
  await watch(900);
  const { rows, next } = await progress();
  expect(next).toBeNull();
  expect(rows).toMatchObject([
    {
      ruleId,
      ruleName: 'One hour',
      status: 'inProgress',
      freeRewards: 2,
      nextItem: { name: 'Demo case' },
      progress: { watch: { haveSeconds: 900, needSeconds: 3600, met: false }, follow: null },
      gaps: [],
    },
  ]);
});

test('A viewer sees rules of channels they follow, but not of others, own ones or closed ones', async () => {
  const ruleId = await addRule(db, streamer, { followDays: 30, watchMinutes: null, rewards: 0 });
  expect((await progress()).rows).toEqual([]);
  await recordFollows(db, {
    channelId: streamer.twitchId,
    followers: [
      { twitchId: viewer.twitchId, followedAtMs: START_MS - 3 * day },
      { twitchId: streamer.twitchId, followedAtMs: START_MS },
    ],
    complete: false,
  });
  expect((await progress()).rows).toMatchObject([
    { ruleId, status: 'outOfRewards', nextItem: null, progress: { follow: { haveDays: 3, needDays: 30 } } },
  ]);
  expect((await listProgress(db, { userId: streamer.userId }, START_MS)).rows).toEqual([]);
  await closeRule(db, { ruleId, userId: streamer.userId }, START_MS);
  expect((await progress()).rows).toEqual([]);
});

test('A viewer who met a rule without free rewards is told to wait', async () => {
  await addRule(db, streamer, { rewards: 0 });
  await watch(3600);
  await evaluate(START_MS);
  expect((await progress()).rows).toMatchObject([{ status: 'waiting', progress: { met: true } }]);
});

test('A rule is new until its first reward, and no more so once that was removed', async () => {
  const ruleId = await addRule(db, streamer, { rewards: 0 });
  await watch(60);
  const standing = async () =>
    (await progress()).rows.map(({ freeRewards, hadRewards }) => ({ freeRewards, hadRewards }));
  expect(await standing()).toEqual([{ freeRewards: 0, hadRewards: false }]);
  const kinds = [{ appId: 730, marketHashName: 'Demo case', quantity: 1 }];
  await deposit(db, streamer, [asset()], START_MS - 8 * day);
  await attachRewards(db, { ruleId, userId: streamer.userId, kinds }, START_MS);
  await detachRewards(db, { ruleId, userId: streamer.userId, kinds }, START_MS);
  expect(await standing()).toEqual([{ freeRewards: 0, hadRewards: true }]);
});

test('Intervals that did not count are listed with their reason, from the start of the rule', async () => {
  const gap = (fromMs: number) => ({
    channelId: streamer.twitchId,
    fromMs,
    untilMs: fromMs + hour,
    reason: 'twitchUnavailable' as const,
  });
  await db.transaction(async (tx) => {
    await tx.insert(watchGaps).values([gap(START_MS - 3 * hour), gap(START_MS - hour), gap(START_MS + hour)]);
    await tx.insert(watchGaps).values({ ...gap(START_MS + hour), channelId: 'another' });
  });
  await addRule(db, streamer, { rewards: 0 });
  await watch(60);
  const { rows } = await progress({}, START_MS + day);
  expect(rows[0]?.gaps).toEqual([
    { fromMs: START_MS + hour, untilMs: START_MS + 2 * hour, reason: 'twitchUnavailable' },
  ]);
});

test('A channel with many gaps hides no other channel’s', async () => {
  const loud = await addStreamer(db);
  const gap = (channelId: string, fromMs: number) => ({
    channelId,
    fromMs,
    untilMs: fromMs + 60_000,
    reason: 'notPolled' as const,
  });
  await db.transaction(async (tx) => {
    await tx.insert(watchGaps).values(gap(streamer.twitchId, START_MS + hour));
    const many = Array.from({ length: 130 }, (_, n) => gap(loud.twitchId, START_MS + (2 + n) * hour));
    await tx.insert(watchGaps).values(many);
  });
  const quietId = await addRule(db, streamer, { rewards: 0 });
  const loudId = await addRule(db, loud, { rewards: 0 });
  await watch(60);
  await watchFor(db, loud.twitchId, [[viewer.twitchId, 60]]);
  const { rows } = await progress({}, START_MS + 8 * day);
  const gapsOn = (ruleId: string) => rows.find((row) => row.ruleId === ruleId)?.gaps ?? [];
  expect(gapsOn(quietId)).toHaveLength(1);
  // The latest of them, because more would be unreadable.
  expect(gapsOn(loudId)).toHaveLength(30);
  expect(gapsOn(loudId)[0]?.fromMs).toBe(START_MS + 131 * hour);
});

test('Rules closest to being met come first, page by page', async () => {
  const ids: string[] = [];
  for (const watchMinutes of [100, 20, 50])
    ids.push(await addRule(db, streamer, { watchMinutes, rewards: 0 }));
  await watch(600);
  const first = await progress({ size: 2 });
  expect(first.rows.map((row) => row.ruleId)).toEqual([ids[1], ids[2]]);
  const second = await progress({ size: 2, after: first.next });
  expect(second.rows.map((row) => row.ruleId)).toEqual([ids[0]]);
  expect(second.next).toBeNull();
});

test('A promise leaves the list of progress, becomes ready to claim, is sent, and is claimed', async () => {
  await addRule(db, streamer, { rewards: 1 });
  await watch(3600);
  await evaluate(START_MS);
  expect((await progress()).rows).toEqual([]);
  const [ready] = (await mine('promised')).rows;
  expect(ready).toMatchObject({
    state: 'promised',
    ruleName: 'Demo rule',
    item: { name: 'Demo case' },
    promisedAtMs: START_MS,
    claimUntilMs: START_MS + 72 * hour,
    offer: null,
  });
  const rewardId = ready!.id;
  const other = await addPerson(db);
  expect(await getMyReward(db, { rewardId, userId: other.userId })).toBeNull();

  await claimReward(db, { rewardId, userId: viewer.userId }, START_MS);
  const [queued] = (await mine('reserved')).rows;
  expect(queued?.offer).toMatchObject({ state: 'queued', offerId: null });
  expect(queued?.offer?.securityCode).toMatch(/^[A-Z0-9]{4}-[A-Z0-9]{4}$/);
  const [sent] = await sendQueued(db, START_MS + 1000);
  const awaiting = await getMyReward(db, { rewardId, userId: viewer.userId });
  expect(awaiting?.offer).toMatchObject({ state: 'sent', offerId: sent?.offerId, sentAtMs: START_MS + 1000 });
  expect(awaiting?.offer?.bot.steamId).toMatch(/^7656/);

  const assets = await offeredAssets(sent!.id);
  await acceptOffer(db, sent!.id, assets, START_MS + 2000);
  expect((await mine('claimed')).rows).toMatchObject([
    { id: rewardId, offer: null, claimedAtMs: START_MS + 2000 },
  ]);
});

test('A promise not claimed in time says so', async () => {
  await addRule(db, streamer, { rewards: 1 });
  await watch(3600);
  await evaluate(START_MS);
  await expirePromises(db, START_MS + 72 * hour, Date.now());
  expect((await mine('promised', 'reserved')).rows).toEqual([]);
  expect((await mine('recalled')).rows).toMatchObject([{ recallReason: 'timedOut' }]);
  expect((await progress()).rows).toEqual([]);
});

async function offeredAssets(transferId: string) {
  const { transferItems } = await import('#db/schema/transfer.ts');
  const { eq } = await import('drizzle-orm');
  return db.read
    .select({ appId: transferItems.appId, assetId: transferItems.assetId })
    .from(transferItems)
    .where(eq(transferItems.transferId, transferId));
}

test('Rules can be filtered by standing and by channel', async () => {
  const other = await addStreamer(db);
  const channels = [streamer, other];
  for (const { twitchId: channelId } of channels) {
    const followers = [{ twitchId: viewer.twitchId, followedAtMs: START_MS - 30 * day }];
    await recordFollows(db, { channelId, followers, complete: true, readAtMs: START_MS });
  }
  await addRule(db, streamer, { rewards: 1 });
  await addRule(db, streamer, { rewards: 0 });
  await addRule(db, streamer, { rewards: 0, followDays: 7, watchMinutes: null });
  const paused = await addRule(db, other, { rewards: 1 });
  await db.transaction((tx) =>
    pauseRulesOf(tx, { ownerId: other.userId, reason: 'lostPermission' }, START_MS),
  );
  const all = (await progress()).rows;
  expect(all.map(({ status }) => status).sort()).toEqual([...progressStatuses].sort());
  for (const status of progressStatuses) {
    const { rows } = await progress({ status });
    expect(rows).toEqual(all.filter((row) => row.status === status));
  }
  const there = await progress({ channelId: other.twitchId });
  expect(there.rows.map(({ ruleId }) => ruleId)).toEqual([paused]);
});
