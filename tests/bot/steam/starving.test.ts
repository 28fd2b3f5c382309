import { setTimeout as delay } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import type { SteamPart } from '#bot/steam/start-steam.ts';
import { claim, promiseReward } from '#tests/support/promised-reward.ts';
import { hurriedPace, rifle, setSteamStage, startBot, transferIn } from '#tests/support/steam-stage.ts';

const inventory = { gapMs: 200, burst: 2, maxWaitMs: 1000, reserve: 1 };
const pace = { ...hurriedPace, services: { ...hurriedPace.services, inventory } };

const read = (part: SteamPart, steamId: string, { appId = 730, userId = `user of ${steamId}` } = {}) =>
  part.inventories.read({ userId, steamId, appId, contextId: '2' });

/** Twenty strangers who ask for inventories without end. */
function flood(part: SteamPart): void {
  let stopped = false;
  let nextId = 76561198100000000n;
  const ask = async () => {
    while (!stopped) {
      await read(part, String(nextId++));
      await delay(20);
    }
  };
  const strangers = Array.from({ length: 20 }, ask);
  onTestFinished(async () => {
    stopped = true;
    await Promise.all(strangers);
  });
}

test('However many inventories visitors ask for, custody finds its items and sends a claim', async () => {
  const stage = await setSteamStage();
  const { rewardId } = await promiseReward(stage);
  const part = await startBot(stage, pace);
  flood(part);
  await transferIn(stage, await claim(stage, rewardId), 'sent');
});

test('An account that asks for all it may leaves the next turn but one to another', async () => {
  const stage = await setSteamStage();
  const part = await startBot(stage, pace);
  stage.world.give(stage.viewer.steamId, rifle);
  let answered = 0;
  const greedy = Array.from({ length: 30 }, async (_, nth) => {
    const answer = await read(part, stage.streamer.steamId, { appId: 1000 + nth });
    if (answer.ok || answer.code !== 'readTooOften') answered += 1;
    return answer;
  });
  const other = await read(part, stage.viewer.steamId);
  expect(other).toMatchObject({ ok: true, value: { items: [{ name: rifle.name }] } });
  expect(answered).toBeLessThan(6);
  await Promise.all(greedy);
  expect(answered).toBe(6);
});

test('A user who connects one Steam account after another takes no more turns than with one', async () => {
  const stage = await setSteamStage();
  const part = await startBot(stage, pace);
  stage.world.give(stage.viewer.steamId, rifle);
  const greedy = Array.from({ length: 30 }, (_, nth) =>
    read(part, String(76561198200000000n + BigInt(nth)), { userId: 'greedy' }),
  );
  const other = await read(part, stage.viewer.steamId);
  expect(other).toMatchObject({ ok: true, value: { items: [{ name: rifle.name }] } });
  const tooOften = (await Promise.all(greedy)).filter((each) => !each.ok && each.code === 'readTooOften');
  expect(tooOften).toHaveLength(24);
});
