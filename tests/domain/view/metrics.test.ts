import { eq } from 'drizzle-orm';
import { beforeEach, expect, test } from 'vitest';
import { rewards } from '#db/schema/reward.ts';
import { recordSubscribers } from '#domain/channel/record-subscribers.ts';
import { claimReward } from '#domain/claim/claim-reward.ts';
import { day, hour, minute } from '#domain/kernel/time.ts';
import { recordRedemption } from '#domain/redemption/record-redemption.ts';
import { expirePromises } from '#domain/reward/expire-promises.ts';
import { evaluateChannel } from '#domain/rule/evaluate-channel.ts';
import { countRewards } from '#domain/view/count-rewards.ts';
import { getChannelDays } from '#domain/view/get-channel-days.ts';
import {
  acceptOffer,
  addPerson,
  addRule,
  type Person,
  START_MS,
  sendQueued,
} from '#tests/support/fixtures.ts';
import { recordFollows } from '#tests/support/follows.ts';
import { assetsIn, rewardsOf } from '#tests/support/looking.ts';
import { promiseTo } from '#tests/support/promises.ts';
import { addPointsRule, redeem } from '#tests/support/redemptions.ts';
import { db, setScene, streamer } from '#tests/support/scene.ts';
import { goLive, goOff, readChatters } from '#tests/support/stream.ts';
import { watchFor } from '#tests/support/watching.ts';

setScene();
let channelId: string;
beforeEach(() => {
  channelId = streamer.twitchId;
});

const TODAY = START_MS - (START_MS % day);
const daysAt = (nowMs: number, period: 7 | 30 | 90 = 7) => getChannelDays(db, { channelId, period }, nowMs);
const todayAt = async (nowMs: number) => (await daysAt(nowMs)).days.at(-1);

test('Every day of the period is listed, with the watch time of all viewers together', async () => {
  await goLive(db, channelId, START_MS);
  await readChatters(db, channelId, ['1', '2', '3'], START_MS + minute);
  await goOff(db, channelId, START_MS + minute);
  const { days, watchSecondsBefore } = await daysAt(START_MS + 2 * day);
  expect(days.map(({ dayMs }) => (dayMs - TODAY) / day)).toEqual([-4, -3, -2, -1, 0, 1, 2]);
  expect(days.map(({ watchSeconds }) => watchSeconds)).toEqual([0, 0, 0, 0, 180, 0, 0]);
  expect(watchSecondsBefore).toBeNull();
});

test('Watch time before the period is summed to compare with, and no older day is', async () => {
  await goLive(db, channelId, START_MS);
  await readChatters(db, channelId, ['1'], START_MS + minute);
  expect((await daysAt(START_MS + 6 * day)).watchSecondsBefore).toBeNull();
  expect((await daysAt(START_MS + 7 * day)).watchSecondsBefore).toBe(60);
  expect((await daysAt(START_MS + 13 * day)).watchSecondsBefore).toBe(60);
  expect((await daysAt(START_MS + 14 * day)).watchSecondsBefore).toBeNull();
});

test('Followers and subscribers are those of the day’s last complete list, and unknown on other days', async () => {
  const follow = (ids: string[], atMs: number, complete = true) => {
    const followers = ids.map((twitchId) => ({ twitchId, followedAtMs: atMs }));
    return recordFollows(
      db,
      complete
        ? { channelId, followers, complete, readAtMs: atMs }
        : { channelId, followers, complete: false },
    );
  };
  await follow(['1', '2'], START_MS);
  await follow(['1', '2', '3'], START_MS + hour);
  await follow(['4'], START_MS + 2 * hour, false);
  await recordSubscribers(db, {
    channelId,
    subscribers: [{ twitchId: '1', tier: 2 }],
    readAtMs: START_MS,
  });
  expect(await todayAt(START_MS)).toMatchObject({ followers: 3, subscribers: 1 });
  expect(await todayAt(START_MS + day)).toMatchObject({ followers: null, subscribers: null });
});

test('A redemption counts once on its day, and its refund until it turns out not to have happened', async () => {
  const viewer = await addPerson(db);
  const ruleId = await addPointsRule(db, streamer);
  const { reported } = await redeem(db, ruleId, viewer);
  await recordRedemption(db, reported, START_MS + minute);
  const counted = async () => {
    const { redeemed, refunded } = (await todayAt(START_MS)) ?? {};
    return [redeemed, refunded];
  };
  expect(await counted()).toEqual([1, 0]);
  await recordRedemption(db, { ...reported, status: 'CANCELED' }, START_MS + day);
  await recordRedemption(db, { ...reported, status: 'CANCELED' }, START_MS + day);
  expect(await counted()).toEqual([1, 1]);
  await redeem(db, ruleId, await addPerson(db), { status: 'CANCELED' });
  expect(await counted()).toEqual([2, 2]);
});

test('Rewards are counted by status now, and promises of the period by what became of them', async () => {
  const [first, second, third] = [await addPerson(db), await addPerson(db), await addPerson(db)];
  const ruleId = await addRule(db, streamer, { rewards: 5 });
  const watched = [first, second, third].map(({ twitchId }) => [twitchId, 3600] as const);
  await watchFor(db, channelId, watched);
  await evaluateChannel(db, channelId, START_MS);
  const counts = (sinceMs = START_MS) => countRewards(db, { ownerId: streamer.userId, sinceMs });
  const nothing = { promised: 0, claimed: 0, timedOut: 0, reversed: 0, recalled: 0 };
  expect(await counts()).toEqual({
    now: { free: 2, promised: 3, reserved: 0, preparing: 0, rules: 1 },
    since: { ...nothing, promised: 3 },
  });
  const claim = async ({ userId, twitchId }: Person) => {
    const reward = (await rewardsOf(db, ruleId)).find((one) => one.twitchId === twitchId);
    await claimReward(db, { rewardId: reward?.id ?? '', userId }, START_MS);
  };
  await claim(first);
  expect((await counts()).now).toMatchObject({ promised: 2, reserved: 1, preparing: 1 });
  const [sent] = await sendQueued(db, START_MS);
  await claim(second);
  expect((await counts()).now).toMatchObject({ promised: 1, reserved: 2, preparing: 1 });
  const transferId = sent?.id ?? '';
  await acceptOffer(db, transferId, await assetsIn(db, transferId), START_MS + hour);
  await expirePromises(db, START_MS + 80 * hour, Date.now());
  expect(await counts()).toEqual({
    now: { free: 3, promised: 0, reserved: 1, preparing: 1, rules: 1 },
    since: { ...nothing, promised: 3, claimed: 1, timedOut: 1 },
  });
  expect((await counts(START_MS + 1)).since).toEqual(nothing);
});

test('Of recalled promises, those that timed out or were reversed count as such, and the others as recalled', async () => {
  const viewers = await Promise.all(Array.from({ length: 7 }, () => addPerson(db)));
  const { rewards: made } = await promiseTo(db, streamer, viewers);
  const ends = ['timedOut', 'reversed', 'reversed', 'accountDeleted', 'pointsGivenBack', 'deleted'];
  await db.transaction(async (tx) => {
    for (const [place, recallReason] of ends.entries())
      await tx
        .update(rewards)
        .set({ state: 'recalled', recallReason })
        .where(eq(rewards.id, made[place]!.id));
  });
  const asked = { ownerId: streamer.userId, sinceMs: START_MS };
  expect(await countRewards(db, asked)).toEqual({
    now: { free: 0, promised: 1, reserved: 0, preparing: 0, rules: 1 },
    since: { promised: 7, claimed: 0, timedOut: 1, reversed: 2, recalled: 3 },
  });
});
