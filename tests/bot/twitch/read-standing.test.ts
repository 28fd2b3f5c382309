import { eq } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { twitchAccounts } from '#db/schema/account.ts';
import { day } from '#domain/kernel/time.ts';
import { redeem, setPointsChannel } from '#tests/bot/twitch/points-stage.ts';
import { setChannel, setStage } from '#tests/bot/twitch/stage.ts';

const follow = { follow: true, subscriber: false, redemption: null };
const both = { ...follow, subscriber: true };

test('Reads since when a viewer follows and their subscription tier, or that they have neither', async () => {
  const stage = await setStage();
  const { streamer, viewer } = await setChannel(stage);
  const bot = await stage.startBot();
  const who = { channelId: streamer.twitchId, twitchId: viewer.twitchId };
  expect(await bot.readStanding({ ...who, checks: both })).toEqual({
    follow: { followedAtMs: null },
    subscriber: { tier: null },
  });
  const followedAtMs = stage.clock.now() - 3 * day;
  stage.world.follow(streamer.twitchId, viewer.twitchId, followedAtMs);
  stage.world.subscribe(streamer.twitchId, viewer.twitchId, '3000');
  expect(await bot.readStanding({ ...who, checks: both })).toEqual({
    follow: { followedAtMs },
    subscriber: { tier: 3 },
  });
  expect(await bot.readStanding({ ...who, checks: follow })).toEqual({ follow: { followedAtMs } });
});

test('Without the permission Twitch would answer that nobody follows, which does not count', async () => {
  const stage = await setStage();
  const { streamer, viewer } = await setChannel(stage);
  stage.world.follow(streamer.twitchId, viewer.twitchId);
  await stage.db.transaction(async (tx) => {
    const itself = eq(twitchAccounts.twitchId, streamer.twitchId);
    await tx.update(twitchAccounts).set({ scopes: [] }).where(itself);
  });
  const bot = await stage.startBot();
  const checks = both;
  expect(await bot.readStanding({ channelId: streamer.twitchId, twitchId: viewer.twitchId, checks })).toEqual(
    {},
  );
  expect(await bot.readStanding({ channelId: '999999', twitchId: viewer.twitchId, checks })).toEqual({});
});

test('Reads the status of redemptions, and leaves out those that Twitch does not know', async () => {
  const stage = await setStage();
  const { channelId, twitchRewardId, viewer, bot } = await setPointsChannel(stage);
  const { id } = redeem(stage, { channelId, twitchRewardId }, viewer);
  const ask = (redemptionId: string) => {
    const checks = { follow: false, subscriber: false, redemption: { id: redemptionId, twitchRewardId } };
    return bot.readStanding({ channelId, twitchId: viewer.twitchId, checks });
  };
  expect(await ask(id)).toEqual({ redemption: { status: 'UNFULFILLED' } });
  stage.world.channelPoints.setStatus(id, 'CANCELED');
  expect(await ask(id)).toEqual({ redemption: { status: 'CANCELED' } });
  expect(await ask('unknown')).toEqual({});
});
