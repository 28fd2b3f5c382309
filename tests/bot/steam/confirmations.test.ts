import { expect, test } from 'vitest';
import { faultPresets } from '#sandbox/steam/faults.ts';
import { claim, promiseReward } from '#tests/support/promised-reward.ts';
import { hurriedPace, setSteamStage, startBot, transferIn } from '#tests/support/steam-stage.ts';

/** Offers are confirmed together, and a failure is not tried again during a test. */
const together = {
  ...hurriedPace,
  transfers: { ...hurriedPace.transfers, confirmTogetherMs: 10_000, confirmRetryMs: 600_000 },
};

test('Confirmations that fail together are accepted one by one in the same round', async () => {
  const stage = await setSteamStage();
  const rewards = [];
  for (let n = 0; n < 4; n++) rewards.push(await promiseReward(stage));
  stage.world.pushFault({ ...faultPresets.confirmingTogetherFails, times: 50 });
  const claims = [];
  for (const { rewardId } of rewards) claims.push(await claim(stage, rewardId));
  await startBot(stage, together);
  for (const id of claims) await transferIn(stage, id, 'sent');
  expect(stage.world.confirmationsOf(stage.bot.steamId)).toEqual([]);
  expect(stage.world.faults()[0]?.remaining).toBe(49);
});
