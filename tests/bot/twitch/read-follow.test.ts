import { eq } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { twitchAccounts } from '#db/schema/account.ts';
import { day } from '#domain/clock.ts';
import { setChannel, setStage } from '#tests/bot/twitch/stage.ts';

test('Twitch is asked since when one viewer follows, or that they do not', async () => {
  const stage = await setStage();
  const { streamer, viewer } = await setChannel(stage);
  const bot = await stage.startBot();
  expect(await bot.readFollow(streamer.twitchId, viewer.twitchId)).toEqual({ followedAtMs: null });
  const followedAtMs = stage.clock.now() - 3 * day;
  stage.world.follow(streamer.twitchId, viewer.twitchId, followedAtMs);
  expect(await bot.readFollow(streamer.twitchId, viewer.twitchId)).toEqual({ followedAtMs });
});

test('Without the permission Twitch would answer that nobody follows, which is no answer', async () => {
  const stage = await setStage();
  const { streamer, viewer } = await setChannel(stage);
  stage.world.follow(streamer.twitchId, viewer.twitchId);
  await stage.database.transaction(async (tx) => {
    const itself = eq(twitchAccounts.twitchId, streamer.twitchId);
    await tx.update(twitchAccounts).set({ scopes: [] }).where(itself);
  });
  const bot = await stage.startBot();
  expect(await bot.readFollow(streamer.twitchId, viewer.twitchId)).toBeNull();
  expect(await bot.readFollow('999999', viewer.twitchId)).toBeNull();
});
