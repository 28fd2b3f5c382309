import { eq } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { mails } from '#db/schema/outbox.ts';
import { transfers } from '#db/schema/transfer.ts';
import { claimReward } from '#domain/claim/claim-reward.ts';
import { until } from '#tests/bot/twitch/stage.ts';
import { rewardsOf, transferOf } from '#tests/support/looking.ts';
import { openPlay, type Play, pointsOf, whenPointsAre, whenRewardIs } from './play.ts';
import type { Somebody } from './world.ts';

/** The viewer claims, and the offer is sent. */
async function isOffered(play: Play, viewer: Somebody) {
  const { db, clock } = play.world;
  const { id } = await whenRewardIs(play, viewer, 'promised');
  await claimReward(db, { rewardId: id, userId: viewer.userId }, clock.now());
  const [claim] = await db.read.select().from(transfers).where(eq(transfers.rewardId, id));
  const transferId = claim?.id ?? '';
  const { offerId } = await until(
    () => transferOf(db, transferId),
    ({ state }) => state === 'sent',
  );
  return { transferId, offerId: offerId ?? '' };
}

const giveBack = ({ world, redeemed }: Play, { twitchId }: Somebody) =>
  world.twitch.channelPoints.setStatus(redeemed.get(twitchId) ?? '', 'CANCELED');

test('Refunding points by hand cancels their offer, unless the viewer was faster', async () => {
  const play = await openPlay(['points'], {});
  const { world, loyal: slow, ruleId } = play;
  const fast = play.losing.get('points') ?? slow;
  const [first, second] = [await isOffered(play, slow), await isOffered(play, fast)];

  giveBack(play, slow);
  const recalled = await whenRewardIs(play, slow, 'recalled');
  expect(recalled.recallReason).toBe('pointsGivenBack');
  expect(await transferOf(world.db, first.transferId)).toMatchObject({ state: 'cancelled' });
  expect(world.steam.accept(first.offerId, slow.steamId).ok).toBe(false);
  const successors = (await rewardsOf(world.db, ruleId)).filter(({ itemId }) => itemId === recalled.itemId);
  expect(successors.map(({ state }) => state).sort()).toEqual(['free', 'recalled']);

  expect(world.steam.accept(second.offerId, fast.steamId).ok).toBe(true);
  giveBack(play, fast);
  await whenRewardIs(play, fast, 'claimed');
  await whenPointsAre(play, fast, 'refunded');
  for (const viewer of [slow, fast])
    expect(await pointsOf(play, viewer)).toMatchObject({ status: 'CANCELED', balance: 50_000 });
  expect(world.steam.inventoryOf(slow.steamId)).toHaveLength(0);
  expect(world.steam.inventoryOf(fast.steamId)).toHaveLength(1);
  const reported = async () =>
    (await world.db.read.select().from(mails)).filter(
      ({ template }) => template === 'deliveredWithoutPoints',
    );
  await expect.poll(async () => (await reported()).map(({ values }) => values.viewer)).toHaveLength(1);
});
