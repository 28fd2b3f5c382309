import { expect, test } from 'vitest';
import { countUnreported } from '#domain/redemption/count-unreported.ts';
import { listLinkedRewards } from '#domain/redemption/list-custom-rewards.ts';
import { listKnownRedemptions } from '#domain/redemption/list-known-redemptions.ts';
import { recordRedemption } from '#domain/redemption/record-redemption.ts';
import { byRedeemedAt } from '#domain/redemption/redemption-order.ts';
import { addPerson, addStreamer, START_MS } from '#tests/support/fixtures.ts';
import { addPointsRule, redeem } from '#tests/support/redemptions.ts';
import { db, setScene, streamer } from '#tests/support/scene.ts';

setScene();

test('A settlement counts as unreported until Twitch confirms it, on its own channel', async () => {
  const other = await addStreamer(db);
  const [ruleId, elsewhere] = [await addPointsRule(db, streamer), await addPointsRule(db, other)];
  const count = () => countUnreported(db.read, { channelId: streamer.twitchId });
  await redeem(db, ruleId, await addPerson(db));
  // Points of strangers are given back.
  await redeem(db, elsewhere, { twitchId: '999000' });
  expect(await count()).toBe(0);
  const { reported } = await redeem(db, ruleId, { twitchId: '999001' });
  expect(await count()).toBe(1);
  await recordRedemption(db, { ...reported, status: 'CANCELED' }, START_MS);
  expect(await count()).toBe(0);
});

test('Of redemptions and custom rewards those that are stored are known', async () => {
  const ruleId = await addPointsRule(db, streamer);
  const { reported } = await redeem(db, ruleId, await addPerson(db));
  const { id, twitchRewardId } = reported;
  expect(await listKnownRedemptions(db.read, [id, 'unknown'])).toEqual(new Set([id]));
  expect(await listKnownRedemptions(db.read, [])).toEqual(new Set());
  expect(await listLinkedRewards(db.read, [twitchRewardId, 'unknown'])).toEqual(
    new Map([[twitchRewardId, ruleId]]),
  );
  expect(await listLinkedRewards(db.read, [])).toEqual(new Map());
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
