import { describe, expect, test } from 'vitest';
import { closeRule } from '#domain/rule/close-rule.ts';
import { rewardsOf } from '#tests/support/looking.ts';
import {
  asksPoints,
  isOpen,
  isPaused,
  noteOf,
  redeem,
  shownOn,
  whenNoted,
  whenShown,
} from './points-stage.ts';
import { addTwitchPerson, clientId, goLive, goOffline, setChannel, setStage, until } from './stage.ts';

describe('The custom reward of a rule', () => {
  test('stands paused off the air, is open while a reward is free, and goes with its rule', async () => {
    const stage = await setStage();
    const { streamer, viewer, ruleId } = await setChannel(stage, { ...asksPoints, rewards: 2 });
    const stranger = stage.world.addUser({ login: 'demo_stranger' });
    const channelId = streamer.twitchId;
    await stage.startBot();
    const made = await whenShown(stage, channelId, isPaused);
    expect(made).toMatchObject({
      clientId,
      title: 'A case for the crew',
      cost: 500,
      skipsRequestQueue: false,
      maxPerUserPerStream: 1,
    });
    expect(made.prompt).toContain('Demo case');
    await goLive(stage, channelId);
    await whenShown(stage, channelId, isOpen);
    const place = { channelId, twitchRewardId: made.id };
    redeem(stage, place, viewer);
    redeem(stage, place, { twitchId: stranger.id });
    await whenNoted(stage, ruleId, ['open', 'refunded']);
    const other = await addTwitchPerson(stage);
    await whenShown(stage, channelId, isOpen);
    redeem(stage, place, other);
    // Both rewards are promised: nothing is left to redeem for.
    await whenShown(stage, channelId, isPaused);
    await goOffline(stage, channelId);
    await closeRule(stage.database, { ruleId, userId: streamer.userId }, stage.clock.now());
    await whenShown(stage, channelId, (reward) => !reward.isEnabled);
    expect((await rewardsOf(stage.database, ruleId)).map(({ state }) => state)).toEqual([
      'promised',
      'promised',
    ]);
    // Given back by hand, nothing is open any more.
    for (const { id, status } of stage.world.channelPoints.redemptionsOf(channelId))
      if (status === 'UNFULFILLED') stage.world.channelPoints.setStatus(id, 'CANCELED');
    await until(
      () => shownOn(stage, channelId),
      (all) => all.length === 0,
    );
    await until(
      () => noteOf(stage, ruleId),
      (note) => note?.state === 'deleted',
    );
    expect(stage.world.channelPoints.redemptionsOf(channelId).map(({ status }) => status)).toEqual(
      Array(3).fill('CANCELED'),
    );
  });
});
