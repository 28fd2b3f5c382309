import { expect, test } from 'vitest';
import { newId } from '#domain/kernel/id.ts';
import { returnItems } from '#domain/transfer/return-items.ts';
import { shapesOf } from '#sandbox/steam/dialects.ts';
import { claim, holdItem, promiseReward } from '#tests/support/promised-reward.ts';
import {
  itemsOf,
  ledgerOf,
  rewardOf,
  type SteamStage,
  setSteamStage,
  startBot,
  transferIn,
} from '#tests/support/steam-stage.ts';

/** Accepts an open offer and reverses its trade while no bot is running. */
async function acceptAndReverse(stage: SteamStage, part: { stop(): Promise<void> }, transferId: string) {
  const { world } = stage;
  const { offerId, partnerSteamId } = await transferIn(stage, transferId, 'sent');
  await part.stop();
  expect(world.accept(offerId ?? '', partnerSteamId).ok).toBe(true);
  expect(world.reverseTrade(world.offer(offerId ?? '')?.tradeId ?? '').ok).toBe(true);
  await startBot(stage);
  await transferIn(stage, transferId, 'reversed');
}

/** The item is held again under the id that it has now, after one delivery and one reversal. */
async function expectBack(stage: SteamStage, itemId: string) {
  const [back] = stage.world.inventoryOf(stage.bot.steamId);
  expect(await itemsOf(stage)).toMatchObject([{ id: itemId, state: 'held', assetId: back?.assetid }]);
  const entries = (await ledgerOf(stage, itemId)).map(({ to }) => to);
  expect(entries).toEqual(['held:bot-1', 'outgoing', 'delivered', 'held:bot-1']);
}

test.each(shapesOf('reversal'))(
  'A claim that was reversed before it was seen accepted is delivered and reversed: %s',
  async (reversal) => {
    const stage = await setSteamStage();
    stage.world.speak({ reversal });
    const { rewardId, itemId } = await promiseReward(stage);
    const part = await startBot(stage);
    await acceptAndReverse(stage, part, await claim(stage, rewardId));
    await expectBack(stage, itemId);
    expect(await rewardOf(stage, rewardId)).toMatchObject({ state: 'recalled', recallReason: 'reversed' });
  },
);

test('A return that was reversed before it was seen accepted puts its item back into custody', async () => {
  const stage = await setSteamStage();
  const { itemId } = await holdItem(stage);
  const nowMs = stage.clock.now();
  const request = { requestId: newId(nowMs), userId: stage.streamer.userId, itemIds: [itemId] };
  expect((await returnItems(stage.db, { ...request, confirmed: true }, nowMs)).ok).toBe(true);
  const part = await startBot(stage);
  await acceptAndReverse(stage, part, request.requestId);
  await expectBack(stage, itemId);
});
