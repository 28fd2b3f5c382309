import { expect, test, vi } from 'vitest';
import { maintainCustomRewards } from '#bot/twitch/points/custom-reward-keeper.ts';
import { titlesFor } from '#bot/twitch/points/custom-reward-text.ts';
import { TwitchFault } from '#bot/twitch/twitch-fault.ts';
import { CHECKS_APART_MS } from '#domain/channel/absence.ts';
import { minute } from '#domain/kernel/time.ts';
import { beginCustomReward } from '#domain/redemption/record-custom-reward.ts';
import { closeRule } from '#domain/rule/close-rule.ts';
import {
  asksPoints,
  givenAlone,
  goOn,
  isPaused,
  makeRewardDue,
  recordOf,
  redeem,
  setPointsChannel,
  shownOn,
  whenRecorded,
  whenShown,
} from '#tests/bot/twitch/points-stage.ts';
import { clientId, setChannel, setStage, until } from '#tests/bot/twitch/stage.ts';
import { redemptionsOf } from '#tests/support/redemptions.ts';

test('A custom reward that Twitch does not list is not gone, and gets no double', async () => {
  const stage = await setStage();
  const channel = await setPointsChannel(stage);
  redeem(stage, channel, channel.viewer);
  await whenRecorded(stage, channel.ruleId, ['open']);
  stage.world.faults.answerOddly('noCustomRewards', 1_000_000);
  for (let looks = 1; looks <= 4; looks += 1) {
    stage.advance(minute);
    await until(
      () => stage.world.faults.pending().oddAnswers,
      (left) => left <= 1_000_000 - 3 * looks,
    );
  }
  expect(await redemptionsOf(stage.db, channel.ruleId)).toMatchObject([{ state: 'open' }]);
  expect(shownOn(stage, channel.channelId).map(({ id }) => id)).toEqual([channel.twitchRewardId]);
  expect(await recordOf(stage, channel.ruleId)).toMatchObject({ twitchRewardId: channel.twitchRewardId });
});

test('A custom reward whose creation was not answered gets no double while Twitch does not list it', async () => {
  const stage = await setStage();
  const { streamer, ruleId } = await setChannel(stage, asksPoints);
  const path = '/mock/channel_points/custom_rewards';
  stage.world.faults.failNext({ answer: 'drop', afterEffect: true, path, method: 'POST' });
  stage.world.faults.answerOddly('noCustomRewards', 8);
  await stage.startBot();
  await until(
    () => stage.world.faults.pending().oddAnswers,
    (left) => left === 0,
    10_000,
  );
  const made = await whenShown(stage, streamer.twitchId, isPaused);
  expect(await recordOf(stage, ruleId)).toMatchObject({ twitchRewardId: made.id, fault: null });
  expect(made.title).toBe(asksPoints.name);
});

test('A title that nobody is listed with for minutes is given up', async () => {
  const stage = await setStage();
  const { streamer, ruleId } = await setChannel(stage, asksPoints);
  stage.world.channelPoints.createReward('another-application', streamer.twitchId, {
    title: asksPoints.name,
    cost: 100,
  });
  stage.world.faults.answerOddly('noCustomRewards', 1_000_000);
  const keeper = maintainCustomRewards(givenAlone(stage));
  await keeper.round(goOn());
  expect(shownOn(stage, streamer.twitchId)).toHaveLength(1);
  stage.elapse(CHECKS_APART_MS);
  await makeRewardDue(stage, ruleId);
  await keeper.round(goOn());
  const titles = shownOn(stage, streamer.twitchId).map(({ title }) => title);
  expect(titles.sort()).toEqual([asksPoints.name, titlesFor({ ruleId, ruleName: asksPoints.name })[1]]);
});

test('A custom reward that was created for a closed rule is deleted, also if it is not listed at first', async () => {
  const stage = await setStage();
  const { streamer, ruleId } = await setChannel(stage, asksPoints);
  const { userId, twitchId: channelId } = streamer;
  await beginCustomReward(stage.db, { ruleId, channelId });
  stage.world.channelPoints.createReward(clientId, channelId, { title: asksPoints.name, cost: 500 });
  await closeRule(stage.db, { ruleId, userId }, stage.clock.now());
  stage.world.faults.answerOddly('noCustomRewards', 1);
  const keeper = maintainCustomRewards(givenAlone(stage));
  await keeper.round(goOn());
  expect(await recordOf(stage, ruleId)).toMatchObject({ state: 'missing' });
  await makeRewardDue(stage, ruleId);
  for (let steps = 0; steps < 3; steps += 1) await keeper.round(goOn());
  expect(await recordOf(stage, ruleId)).toMatchObject({ state: 'deleted' });
  expect(shownOn(stage, channelId)).toEqual([]);
});

test('A custom reward whose step ends with our lease has no pause before the next one', async () => {
  const stage = await setStage();
  const { streamer, ruleId } = await setChannel(stage, asksPoints);
  const given = givenAlone(stage);
  let isLapsed = true;
  const onFault = vi.fn(given.onFault);
  const points: typeof given.points = {
    ...given.points,
    createHidden: async (...asked) => {
      if (isLapsed) throw new TwitchFault('leaseEnded', 'the lease ended during the call');
      return given.points.createHidden(...asked);
    },
  };
  const keeper = maintainCustomRewards({ ...given, points, onFault });
  expect(await keeper.round(goOn())).toBe(0);
  expect(onFault).not.toHaveBeenCalled();
  isLapsed = false;
  for (let round = 0; round < 2; round += 1) await keeper.round(goOn());
  expect(shownOn(stage, streamer.twitchId)).toMatchObject([{ isEnabled: true }]);
  expect(await recordOf(stage, ruleId)).toMatchObject({ fault: null });
});
