import { expect, test } from 'vitest';
import { countUnreported } from '#domain/redemption/count-unreported.ts';
import { listLinkedRewards } from '#domain/redemption/list-custom-rewards.ts';
import { listKnownRedemptions } from '#domain/redemption/list-known-redemptions.ts';
import { recordRedemption } from '#domain/redemption/record-redemption.ts';
import { byRedeemedAt } from '#domain/redemption/redemption-order.ts';
import { addPerson, addStreamer, START_MS } from '#tests/support/fixtures.ts';
import { addPointsRule, redeem } from '#tests/support/redemptions.ts';
import { database, setScene, streamer } from '#tests/support/scene.ts';

setScene();

test('A settlement counts as unreported until Twitch confirms it, on its own channel', async () => {
  const other = await addStreamer(database);
  const [ruleId, elsewhere] = [await addPointsRule(database, streamer), await addPointsRule(database, other)];
  const count = () => countUnreported(database.read, { channelId: streamer.twitchId });
  await redeem(database, ruleId, await addPerson(database));
  // Points of strangers are given back.
  await redeem(database, elsewhere, { twitchId: '999000' });
  expect(await count()).toBe(0);
  const { reported } = await redeem(database, ruleId, { twitchId: '999001' });
  expect(await count()).toBe(1);
  await recordRedemption(database, { ...reported, status: 'CANCELED' }, START_MS);
  expect(await count()).toBe(0);
});

test('Of redemptions and custom rewards those that are stored are known', async () => {
  const ruleId = await addPointsRule(database, streamer);
  const { reported } = await redeem(database, ruleId, await addPerson(database));
  const { id, twitchRewardId } = reported;
  expect(await listKnownRedemptions(database.read, [id, 'unknown'])).toEqual(new Set([id]));
  expect(await listKnownRedemptions(database.read, [])).toEqual(new Set());
  expect(await listLinkedRewards(database.read, [twitchRewardId, 'unknown'])).toEqual(
    new Map([[twitchRewardId, ruleId]]),
  );
  expect(await listLinkedRewards(database.read, [])).toEqual(new Map());
});

test('Redemptions are taken by time, and those of one second in the order of Twitch’s list', () => {
  const at = (id: string, redeemedAtMs: number) => ({
    id,
    redeemedAtMs,
    twitchRewardId: 'r',
    twitchId: '1',
    status: 'UNFULFILLED' as const,
  });
  const listed = [at('c', 3000), at('a', 1000), at('z', 2000), at('b', 2000)];
  expect(byRedeemedAt(listed).map(({ id }) => id)).toEqual(['a', 'z', 'b', 'c']);
});
