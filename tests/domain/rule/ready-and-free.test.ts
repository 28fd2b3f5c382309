import { expect, test } from 'vitest';
import { claimReward } from '#domain/claim/claim-reward.ts';
import { day } from '#domain/kernel/time.ts';
import { countReadyRewards } from '#domain/reward/count-ready-rewards.ts';
import { listFreeKinds } from '#domain/reward/list-free-kinds.ts';
import { attachRewards } from '#domain/rule/attach-rewards.ts';
import { getRule } from '#domain/rule/list-rules.ts';
import { addPerson, addRule, addStreamer, asset, deposit, START_MS } from '#tests/support/fixtures.ts';
import { promiseTo } from '#tests/support/promises.ts';
import { db, setScene, streamer } from '#tests/support/scene.ts';

setScene();

test('A viewer is told how many rewards can be claimed, on all channels and on one', async () => {
  const [viewer, other] = [await addPerson(db), await addStreamer(db)];
  const { rewards } = await promiseTo(db, streamer, [viewer]);
  await promiseTo(db, other, [viewer]);
  const ready = (channelId?: string, userId = viewer.userId) =>
    countReadyRewards(db, { userId, ...(channelId && { channelId }) });
  expect([await ready(), await ready(streamer.twitchId), await ready('another')]).toEqual([2, 1, 0]);
  expect(await ready(undefined, other.userId)).toBe(0);
  await claimReward(db, { rewardId: rewards[0]!.id, userId: viewer.userId }, START_MS);
  expect([await ready(), await ready(streamer.twitchId)]).toEqual([1, 0]);
});

test('A claim shows in its rule’s pool as reserved, and as being prepared until it is sent', async () => {
  const viewer = await addPerson(db);
  const { ruleId, rewards } = await promiseTo(db, streamer, [viewer]);
  await claimReward(db, { rewardId: rewards[0]!.id, userId: viewer.userId }, START_MS);
  expect(await getRule(db, { ruleId, ownerId: streamer.userId })).toMatchObject({
    pool: { free: 0, promised: 0, reserved: 1 },
    preparing: 1,
  });
});

test('Of the next twelve free rewards of a rule each kind is shown once, in the order of the pool', async () => {
  const ruleId = await addRule(db, streamer, { rewards: 0 });
  const attach = async (marketHashName: string, quantity: number) => {
    const assets = Array.from({ length: quantity }, () => asset(marketHashName));
    await deposit(db, streamer, assets, START_MS - 8 * day);
    const kinds = [{ appId: 730, marketHashName, quantity }];
    await attachRewards(db, { ruleId, userId: streamer.userId, kinds }, START_MS);
  };
  await attach('Demo knife', 2);
  await attach('Demo case', 10);
  await attach('Demo glove', 1);
  const shown = async (...channelIds: string[]) =>
    (await listFreeKinds(db, channelIds)).map(({ marketHashName }) => marketHashName);
  expect(await shown(streamer.twitchId)).toEqual(['Demo knife', 'Demo case']);
  expect(await shown()).toEqual([]);
  expect(await shown('another')).toEqual([]);
});
