import { expect, test } from 'vitest';
import { steamPace } from '#bot/steam/start-steam.ts';
import { is } from '#db/dialect.ts';
import { transfers } from '#db/schema/transfer.ts';
import { addPerson } from '#tests/support/fixtures.ts';
import { claim, promiseReward } from '#tests/support/promised-reward.ts';
import { joinWorld, setSteamStage, startBot, until } from '#tests/support/steam-stage.ts';

test('Twelve claims at once have their offers on Steam within five seconds, at the pace of production', async () => {
  const stage = await setSteamStage();
  const { world, bot, database } = stage;
  const promised: { viewer: typeof stage.viewer; rewardId: string }[] = [];
  for (let nth = 1; nth <= 12; nth++) {
    const viewer = await joinWorld(world, await addPerson(database), `Demo viewer ${nth}`);
    promised.push({ viewer, rewardId: (await promiseReward({ ...stage, viewer })).rewardId });
  }
  const part = await startBot(stage, steamPace);
  const beganMs = performance.now();
  for (const { viewer, rewardId } of promised) await claim({ ...stage, viewer }, rewardId);
  part.nudge();
  await until(
    async () => (await database.read.$count(transfers, is(transfers.state, 'sent'))) === 12,
    'twelve offers',
  );
  const tookMs = performance.now() - beganMs;
  expect(world.offersOf(bot.steamId).filter(({ state }) => state === 2)).toHaveLength(12);
  expect(tookMs).toBeLessThan(5000);
});
