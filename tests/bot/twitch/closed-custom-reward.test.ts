import { expect, test } from 'vitest';
import { maintainCustomRewards } from '#bot/twitch/points/custom-reward-keeper.ts';
import { settleRedemptions } from '#bot/twitch/points/redemption-settler.ts';
import { CHECKS_APART_MS } from '#domain/channel/absence.ts';
import { beginCustomReward } from '#domain/redemption/record-custom-reward.ts';
import { closeRule } from '#domain/rule/close-rule.ts';
import {
  asksPoints,
  givenAlone,
  goOn,
  makeRewardDue,
  recordOf,
  redeem,
  setPointsChannel,
  shownOn,
  statusOf,
  whenRecorded,
} from './points-stage.ts';
import { type Stage, setChannel, setStage } from './stage.ts';

/** A channel whose enabled custom reward nothing looks after but the rounds of a test. */
async function setAlone() {
  const stage = await setStage();
  const channel = await setPointsChannel(stage);
  await channel.bot.stop();
  return { stage, channel, ...keeperOf(stage, channel) };
}

function keeperOf(stage: Stage, { channelId, ruleId }: { channelId: string; ruleId: string }) {
  const keeper = maintainCustomRewards(givenAlone(stage));
  /** Runs a round; returns the custom rewards that Twitch has then, and the stored state. */
  const round = async () => {
    await keeper.round(goOn());
    const shown = shownOn(stage, channelId).map(({ isEnabled }) => (isEnabled ? 'shown' : 'hidden'));
    return [shown, (await recordOf(stage, ruleId))?.state];
  };
  return { round };
}

const close = (stage: Stage, { ruleId, streamer }: Awaited<ReturnType<typeof setChannel>>) =>
  closeRule(stage.db, { ruleId, userId: streamer.userId }, stage.clock.now());

test('The custom reward of a closed rule is hidden in one step and deleted in the next', async () => {
  const { stage, channel, round } = await setAlone();
  await close(stage, channel);
  expect(await round()).toEqual([['hidden'], 'disabled']);
  expect(await round()).toEqual([[], 'deleted']);
  expect(await round()).toEqual([[], 'deleted']);
});

test('It stays hidden as long as points are open, because Twitch fulfils what is open when it is deleted', async () => {
  const { stage, channel, round } = await setAlone();
  const { id } = redeem(stage, channel, channel.viewer);
  const { id: twitchId } = stage.world.addUser({ login: 'demo_stranger' });
  await close(stage, channel);
  expect(await round()).toEqual([['hidden'], 'disabled']);
  // The queue is read before it would be deleted, and holds points that nobody has heard of.
  expect(await round()).toEqual([['hidden'], 'disabled']);
  await whenRecorded(stage, channel.ruleId, ['open']);
  expect(await round()).toEqual([['hidden'], 'disabled']);
  expect(statusOf(stage, channel.channelId, id)).toBe('UNFULFILLED');
  expect(() => redeem(stage, channel, { twitchId })).toThrow('refused');
  await settleRedemptions(givenAlone(stage)).round(goOn());
  expect(statusOf(stage, channel.channelId, id)).toBe('CANCELED');
  expect(await round()).toEqual([[], 'deleted']);
});

test('A custom reward that was never created is not created for a rule that closed meanwhile', async () => {
  const stage = await setStage();
  const channel = await setChannel(stage, asksPoints);
  const { twitchId: channelId } = channel.streamer;
  await beginCustomReward(stage.db, { ruleId: channel.ruleId, channelId });
  await close(stage, channel);
  const { round } = keeperOf(stage, { channelId, ruleId: channel.ruleId });
  // A process before may have created it without an answer, and one list proves nothing.
  expect(await round()).toEqual([[], 'missing']);
  stage.elapse(CHECKS_APART_MS);
  await makeRewardDue(stage, channel.ruleId);
  expect(await round()).toEqual([[], 'deleted']);
});
