import { eq } from 'drizzle-orm';
import { describe, expect, test } from 'vitest';
import { maintainCustomRewards } from '#bot/twitch/points/custom-reward-keeper.ts';
import { leaveChannels } from '#bot/twitch/points/leave-channel.ts';
import { settleRedemptions } from '#bot/twitch/points/redemption-settler.ts';
import { users } from '#db/schema/user.ts';
import { unlinkTwitch } from '#domain/account/twitch/unlink-twitch.ts';
import { rewardsOf } from '#tests/support/looking.ts';
import {
  givenAlone,
  goOn,
  isOpen,
  recordOf,
  redeem,
  setPointsChannel,
  shownOn,
  statusOf,
  whenRecorded,
  whenShown,
} from './points-stage.ts';
import { type Stage, setStage } from './stage.ts';

const rewardsPath = '/mock/channel_points/custom_rewards';
type Channel = Awaited<ReturnType<typeof setPointsChannel>>;

/** A channel with an enabled custom reward, and the parts that leave it, without events and workers. */
async function setLeaving({ deadlineMs = 5000 } = {}) {
  const stage = await setStage();
  const channel = await setPointsChannel(stage);
  await channel.bot.stop();
  const alone = givenAlone(stage);
  const customRewards = maintainCustomRewards(alone);
  const leave = leaveChannels({ ...alone, customRewards, settler: settleRedemptions(alone) }, deadlineMs);
  return { stage, channel, customRewards, leave: () => leave(channel.channelId) };
}

const isHidden = (stage: Stage, { channelId }: Channel) =>
  shownOn(stage, channelId).map(({ isEnabled }) => !isEnabled);

async function unlink(stage: Stage, { streamer: { userId } }: Channel) {
  await stage.db.transaction(async (tx) => {
    await tx.update(users).set({ passwordHash: 'a demo hash' }).where(eq(users.id, userId));
  });
  return unlinkTwitch(stage.db, { vault: stage.vault, userId }, stage.clock.now());
}

describe('A streamer who disconnects Twitch', () => {
  test('leaves no custom reward that takes points', async () => {
    const { stage, channel, customRewards, leave } = await setLeaving();
    expect(await leave()).toBe(true);
    expect(isHidden(stage, channel)).toEqual([true]);
    expect((await recordOf(stage, channel.ruleId))?.state).toBe('disabled');
    // The grant is still valid, and the rule is open.
    await customRewards.round(goOn());
    expect(isHidden(stage, channel)).toEqual([true]);
    expect((await unlink(stage, channel)).ok).toBe(true);
    await customRewards.round(goOn());
    expect(isHidden(stage, channel)).toEqual([true]);
  });

  test('leaves no points open that nobody could settle any more', async () => {
    const { stage, channel, leave } = await setLeaving();
    const { id: twitchId } = stage.world.addUser({ login: 'demo_stranger' });
    const { id } = redeem(stage, channel, { twitchId });
    expect(await leave()).toBe(true);
    expect(statusOf(stage, channel.channelId, id)).toBe('CANCELED');
    await whenRecorded(stage, channel.ruleId, ['refunded']);
  });

  test('leaves the points behind a promise unchanged: the promise stays', async () => {
    const { stage, channel, leave } = await setLeaving();
    const { id } = redeem(stage, channel, channel.viewer);
    expect(await leave()).toBe(true);
    expect((await unlink(stage, channel)).ok).toBe(true);
    expect(statusOf(stage, channel.channelId, id)).toBe('UNFULFILLED');
    expect(await rewardsOf(stage.db, channel.ruleId)).toMatchObject([{ state: 'promised' }]);
  });

  test('is told when Twitch does not answer in time', async () => {
    const { stage, channel, leave } = await setLeaving({ deadlineMs: 1000 });
    stage.world.faults.failNext({ answer: 503, path: rewardsPath, times: 100 });
    expect(await leave()).toBe(false);
    expect(shownOn(stage, channel.channelId).map(isOpen)).toEqual([true]);
  });

  test('is told when points could not be refunded in time', async () => {
    const { stage, channel, leave } = await setLeaving({ deadlineMs: 1000 });
    const { id: twitchId } = stage.world.addUser({ login: 'demo_stranger' });
    redeem(stage, channel, { twitchId });
    stage.world.faults.failNext({
      answer: 503,
      path: `${rewardsPath}/redemptions`,
      method: 'PATCH',
      times: 100,
    });
    expect(await leave()).toBe(false);
    expect(isHidden(stage, channel)).toEqual([true]);
  });
});

test('A streamer who stays after all is served again after a while', async () => {
  const stage = await setStage();
  const { channelId, bot } = await setPointsChannel(stage);
  await bot.stop();
  const later = await stage.startBot({ restMs: 200 });
  expect(await later.leaveChannel(channelId)).toBe(true);
  await whenShown(stage, channelId, isOpen);
});
