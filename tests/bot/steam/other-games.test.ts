import { expect, test } from 'vitest';
import type { ItemKind } from '#sandbox/steam/state.ts';
import { claim, promiseReward } from '#tests/support/promised-reward.ts';
import {
  askForDeposit,
  hat,
  itemsOf,
  rewardOf,
  setSteamStage,
  startBot,
  transferIn,
} from '#tests/support/steam-stage.ts';

const kindIn = (appid: number, name: string): ItemKind => ({
  ...hat,
  appid,
  classid: `${appid}1`,
  name,
  market_name: name,
  market_hash_name: name,
});

const games: [string, ItemKind, string][] = [
  ['Rust', kindIn(252490, 'Demo Hoodie'), '2'],
  ['Dota 2', kindIn(570, 'Demo Courier'), '2'],
  ['Steam', kindIn(753, 'Demo Trading Card'), '6'],
];

test.each(games)(
  'An item of %s is deposited and held where the game keeps its items',
  async (_, kind, contextId) => {
    const stage = await setSteamStage();
    stage.world.describe(kind);
    await startBot(stage);
    const { transferId } = await askForDeposit(stage, kind);
    const { offerId } = await transferIn(stage, transferId, 'sent');
    expect(stage.world.accept(offerId ?? '', stage.streamer.steamId).ok).toBe(true);
    await transferIn(stage, transferId, 'settled');
    expect(await itemsOf(stage)).toMatchObject([{ appId: kind.appid, state: 'held', contextId }]);
  },
);

test.each(games)('An item of %s is claimed and delivered', async (_, kind) => {
  const stage = await setSteamStage();
  stage.world.describe(kind);
  const { rewardId } = await promiseReward(stage, kind);
  await startBot(stage);
  const { offerId } = await transferIn(stage, await claim(stage, rewardId), 'sent');
  expect(stage.world.accept(offerId ?? '', stage.viewer.steamId).ok).toBe(true);
  await expect.poll(async () => (await rewardOf(stage, rewardId)).state).toBe('claimed');
  expect(stage.world.inventoryOf(stage.viewer.steamId)).toMatchObject([{ appid: kind.appid }]);
});
