import { expect, test } from 'vitest';
import { type SteamPace, steamPace } from '#bot/steam/start-steam.ts';
import { is } from '#db/dialect.ts';
import { transfers } from '#db/schema/transfer.ts';
import { addPerson } from '#tests/support/fixtures.ts';
import { claim, promiseReward } from '#tests/support/promised-reward.ts';
import { hurriedPace, joinWorld, setSteamStage, startBot, until } from '#tests/support/steam-stage.ts';

/** Measures the time until the offers of twelve claims at once are on Steam. */
async function timeTwelveClaims(pace: SteamPace): Promise<number> {
  const stage = await setSteamStage();
  const { world, bot, db } = stage;
  const promised: { viewer: typeof stage.viewer; rewardId: string }[] = [];
  for (let nth = 1; nth <= 12; nth++) {
    const viewer = await joinWorld(world, await addPerson(db), `Demo viewer ${nth}`);
    promised.push({ viewer, rewardId: (await promiseReward({ ...stage, viewer })).rewardId });
  }
  const part = await startBot(stage, pace);
  const beganMs = performance.now();
  for (const { viewer, rewardId } of promised) await claim({ ...stage, viewer }, rewardId);
  part.nudge();
  await until(
    async () => (await db.read.$count(transfers, is(transfers.state, 'sent'))) === 12,
    'twelve offers',
  );
  const tookMs = performance.now() - beganMs;
  expect(world.offersOf(bot.steamId).filter(({ state }) => state === 2)).toHaveLength(12);
  return tookMs;
}

test('Twelve claims at once wait no longer than five seconds for the pace of production', async () => {
  // The machine's own time, busy or not, is in both.
  const pausesMs = async () => {
    const withoutMs = await timeTwelveClaims(hurriedPace);
    return (await timeTwelveClaims(steamPace)) - withoutMs;
  };
  let leastMs = await pausesMs();
  // Other work on the machine may meet one side alone, but hardly each time.
  for (let again = 0; again < 3 && leastMs >= 5000; again += 1) leastMs = Math.min(leastMs, await pausesMs());
  expect(leastMs).toBeLessThan(5000);
});
