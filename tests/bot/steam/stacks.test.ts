import { expect, test } from 'vitest';
import { recordUnknownAssets } from '#domain/custody/record-unknown-assets.ts';
import { newId } from '#domain/kernel/id.ts';
import { returnItems } from '#domain/transfer/return-items.ts';
import { shapesOf } from '#sandbox/steam/dialects.ts';
import { claim, promiseReward } from '#tests/support/promised-reward.ts';
import {
  askForDeposit,
  assetOf,
  demoKind,
  gems,
  itemsOf,
  rewardOf,
  type StackedKind,
  type SteamStage,
  setSteamStage,
  startBot,
  transferIn,
  until,
} from '#tests/support/steam-stage.ts';

const amountsOf = ({ world }: SteamStage, { steamId }: { steamId: string }) =>
  world.inventoryOf(steamId, 753).map(({ amount }) => amount);

test.each(shapesOf('stacks'))(
  'A stack is deposited whole, held, returned whole and then another of its class is taken, if stacks %s',
  async (stacks) => {
    const stage = await setSteamStage();
    const { world, streamer, bot } = stage;
    world.speak({ stacks });
    await startBot(stage);
    const { transferId } = await askForDeposit(stage, gems);
    const asked = await transferIn(stage, transferId, 'sent');
    expect(world.offer(asked.offerId ?? '')).toMatchObject({ receive: [{ amount: '500' }], give: [] });
    expect(world.accept(asked.offerId ?? '', streamer.steamId).ok).toBe(true);
    await transferIn(stage, transferId, 'settled');
    const [item] = await itemsOf(stage);
    expect(item).toMatchObject({ state: 'held', amount: 500 });
    expect(amountsOf(stage, bot)).toEqual(['500']);
    await expect(askForDeposit(stage, { ...gems, pieces: 300 })).rejects.toThrow('noStackRoom');

    stage.passDays(8);
    const requestId = newId(stage.clock.now());
    const back = { requestId, userId: streamer.userId, itemIds: [item?.id ?? ''] };
    expect(await returnItems(stage.db, back, stage.clock.now())).toMatchObject({ ok: true });
    const sent = await transferIn(stage, requestId, 'sent');
    expect(world.offer(sent.offerId ?? '')).toMatchObject({ give: [{ amount: '500' }], receive: [] });
    expect(world.accept(sent.offerId ?? '', streamer.steamId).ok).toBe(true);
    await transferIn(stage, requestId, 'settled');
    // One asset or two: the streamer has 300 pieces that were not taken.
    expect(amountsOf(stage, streamer)).toEqual(stacks === 'merged' ? ['800'] : ['300', '500']);
    expect(amountsOf(stage, bot)).toEqual([]);
    await askForDeposit(stage, { ...gems, pieces: 40 });
  },
);

test.each(shapesOf('stacks'))(
  'A stack is claimed whole by a viewer who has one already, if stacks %s',
  async (stacks) => {
    const stage = await setSteamStage();
    const { world, viewer } = stage;
    world.speak({ stacks });
    world.give(viewer.steamId, { ...gems, pieces: 40 });
    const { rewardId } = await promiseReward(stage, gems);
    await startBot(stage);
    const { offerId } = await transferIn(stage, await claim(stage, rewardId), 'sent');
    expect(world.offer(offerId ?? '')).toMatchObject({ give: [{ amount: '500' }], receive: [] });
    expect(world.accept(offerId ?? '', viewer.steamId).ok).toBe(true);
    await until(async () => (await rewardOf(stage, rewardId)).state === 'claimed', 'the delivery');
    expect(amountsOf(stage, viewer)).toEqual(stacks === 'merged' ? ['540'] : ['40', '500']);
  },
);

test('A bot that has such items of its own asks for no stack of their class, and the deposit says why', async () => {
  const stage = await setSteamStage();
  stage.world.give(stage.bot.steamId, { ...gems, pieces: 37 });
  await startBot(stage);
  const { transferId } = await askForDeposit(stage, gems);
  expect(await transferIn(stage, transferId, 'failed')).toMatchObject({ lastError: 'stackThere' });
  expect(stage.world.offers()).toEqual([]);
  // The next request knows of it.
  await expect(askForDeposit(stage, { ...gems, pieces: 300 })).rejects.toThrow('noStackRoom');
});

test('A bot that has a stack of its own asks for no single piece of the class', async () => {
  const stage = await setSteamStage();
  const tool: StackedKind = demoKind({ appid: 570, classid: '444', name: 'Demo Tool' });
  stage.world.describe(tool);
  stage.world.give(stage.bot.steamId, { ...tool, pieces: 37 });
  await startBot(stage);
  const { transferId } = await askForDeposit(stage, tool);
  expect(await transferIn(stage, transferId, 'failed')).toMatchObject({ lastError: 'stackThere' });
  expect(stage.world.offers()).toEqual([]);
});

test('Once a bot’s own items of a class are gone, they keep no stack from it', async () => {
  const stage = await setSteamStage();
  const { assetId: _, ...facts } = assetOf(stage.world.give(stage.viewer.steamId, gems), gems);
  await startBot(stage);
  const found = [{ ...facts, assetId: '37' }];
  await recordUnknownAssets(
    stage.db,
    { botId: stage.credentials.name, appId: 753, found },
    stage.clock.now(),
  );
  await until(() => askForDeposit(stage, gems).catch(() => null), 'a deposit that is not refused');
});

test('Nothing is given of a stack whose amount changed, and it counts as missing', async () => {
  const stage = await setSteamStage();
  const { world, bot } = stage;
  const { rewardId, asset } = await promiseReward(stage, gems);
  const [own] = world.inventoryOf(bot.steamId, 753);
  if (own) own.amount = '537';
  await startBot(stage);
  const transferId = await claim(stage, rewardId);
  expect(await transferIn(stage, transferId, 'failed')).toMatchObject({ lastError: 'stackChanged' });
  await until(async () => (await itemsOf(stage))[0]?.state === 'missing', 'the missing item');
  expect(world.offers()).toEqual([]);
  expect((await itemsOf(stage))[0]).toMatchObject({ assetId: asset.assetid, amount: 500 });
});

test('A deposit that is merged on its way in is never given, and the operator has to look', async () => {
  const stage = await setSteamStage();
  const { world, bot, streamer } = stage;
  world.speak({ stacks: 'merged' });
  await startBot(stage);
  const { transferId } = await askForDeposit(stage, gems);
  const { offerId } = await transferIn(stage, transferId, 'sent');
  world.give(bot.steamId, { ...gems, pieces: 37 });
  expect(world.accept(offerId ?? '', streamer.steamId).ok).toBe(true);
  await until(async () => (await itemsOf(stage))[0]?.state === 'missing', 'the missing item');
  expect(amountsOf(stage, bot)).toEqual(['537']);
});
