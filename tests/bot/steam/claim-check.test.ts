import { eq } from 'drizzle-orm';
import { expect, onTestFinished, test } from 'vitest';
import { startSteam } from '#bot/steam/start-steam.ts';
import type { ReadStanding } from '#bot/steam/transfers/transfer-work.ts';
import { rules } from '#db/schema/rule.ts';
import { day } from '#domain/kernel/time.ts';
import { claim, promiseReward } from '#tests/support/promised-reward.ts';
import {
  hurriedPace,
  rewardOf,
  type SteamStage,
  setSteamStage,
  transferIn,
  transferOf,
  until,
} from '#tests/support/steam-stage.ts';

/**
 * A viewer claims under a rule that requires thirty days of following; the bot reads their standing with
 * `readStanding`.
 */
async function claimUnderFollowRule(readStanding: (stage: SteamStage) => ReadStanding) {
  const stage = await setSteamStage();
  const { rewardId } = await promiseReward(stage);
  const other = await promiseReward(stage);
  const { ruleId } = await rewardOf(stage, rewardId);
  await stage.db.transaction(async (tx) => {
    await tx.update(rules).set({ followDays: 30 }).where(eq(rules.id, ruleId));
  });
  const part = startSteam(stage.deps(), hurriedPace, readStanding(stage));
  onTestFinished(() => part.stop());
  await until(() => part.report().steam?.state === 'ready', 'a ready bot');
  return { stage, rewardId, transferId: await claim(stage, rewardId), other };
}

test('A claim is sent when Twitch says that the viewer still follows', async () => {
  const asked: string[][] = [];
  const { stage, transferId } = await claimUnderFollowRule(({ clock }) => async ({ channelId, twitchId }) => {
    asked.push([channelId, twitchId]);
    return { follow: { followedAtMs: clock.now() - 40 * day } };
  });
  await transferIn(stage, transferId, 'sent');
  expect(asked).toEqual([[stage.streamer.twitchId, stage.viewer.twitchId]]);
});

test('The claim of a viewer who no longer follows never reaches Steam', async () => {
  const { stage, rewardId, transferId } = await claimUnderFollowRule(() => async () => ({
    follow: { followedAtMs: null },
  }));
  await transferIn(stage, transferId, 'cancelled');
  expect(await rewardOf(stage, rewardId)).toMatchObject({ state: 'promised', unmetCondition: 'follow' });
  expect(stage.world.offers()).toEqual([]);
});

test('A claim waits while Twitch does not answer and nothing recent is known, without holding up others', async () => {
  let asked = 0;
  const { stage, transferId, other } = await claimUnderFollowRule(() => async () => {
    asked++;
    return {};
  });
  await until(() => asked > 0, 'a question to Twitch');
  await transferIn(stage, await claim(stage, other.rewardId), 'sent');
  expect(await transferOf(stage, transferId)).toMatchObject({ state: 'queued' });
  expect(asked).toBe(1);
});
