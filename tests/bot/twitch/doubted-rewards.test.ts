import { expect, test } from 'vitest';
import { minute } from '#domain/kernel/time.ts';
import { recordOf, redeem, setPointsChannel, shownOn, whenRecorded } from '#tests/bot/twitch/points-stage.ts';
import { setStage, until } from '#tests/bot/twitch/stage.ts';
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
