import { expect, test } from 'vitest';
import { settleDrift } from '#domain/custody/settle-drift.ts';
import { newId } from '#domain/kernel/id.ts';
import { day, minute } from '#domain/kernel/time.ts';
import { cancelTransfer } from '#domain/transfer/cancel-transfer.ts';
import { returnItems } from '#domain/transfer/return-items.ts';
import { driftOutgoing } from '#tests/support/drift.ts';
import { disown, endFreezeOf } from '#tests/support/freezing.ts';
import { claim, holdItem, promiseReward } from '#tests/support/promised-reward.ts';
import {
  askForDeposit,
  hat,
  itemsOf,
  ledgerOf,
  rewardOf,
  rifle,
  setSteamStage,
  startBot,
  transferIn,
  transferOf,
  until,
  wantedAssets,
} from '#tests/support/steam-stage.ts';

/** A bot with one promised item whose claim is sent and confirmed. */
async function offerClaim(kind = rifle) {
  const stage = await setSteamStage();
  const promised = await promiseReward(stage, kind);
  await startBot(stage);
  const transferId = await claim(stage, promised.rewardId);
  const { offerId } = await transferIn(stage, transferId, 'sent');
  return { ...promised, stage, transferId, offerId: offerId ?? '' };
}

test('A claim is sent, confirmed, accepted and settled, and the viewer has the item', async () => {
  const { stage, transferId, offerId, rewardId, itemId, asset } = await offerClaim();
  const offer = stage.world.offer(offerId);
  expect(offer?.receive).toEqual([]);
  expect(offer?.give).toMatchObject([{ assetid: asset.assetid, contextid: '2' }]);
  expect(offer?.message).toContain('You give nothing');
  expect(offer?.message.length).toBeLessThanOrEqual(128);

  expect(stage.world.accept(offerId, stage.viewer.steamId).ok).toBe(true);
  await transferIn(stage, transferId, 'accepted');
  expect((await rewardOf(stage, rewardId)).state).toBe('claimed');
  const [received] = stage.world.inventoryOf(stage.viewer.steamId);
  expect(await wantedAssets(stage, transferId)).toMatchObject([
    { newAssetId: received?.assetid, open: false },
  ]);

  stage.passDays(8);
  await transferIn(stage, transferId, 'settled');
  expect(await itemsOf(stage)).toMatchObject([{ id: itemId, state: 'gone' }]);
  expect((await ledgerOf(stage, itemId)).map(({ to }) => to)).toEqual([
    'held:bot-1',
    'outgoing',
    'delivered',
    'gone',
  ]);
});

test('In a game without protection an accepted item is final at once', async () => {
  const { stage, transferId, offerId, itemId } = await offerClaim(hat);
  expect(stage.world.accept(offerId, stage.viewer.steamId).ok).toBe(true);
  await transferIn(stage, transferId, 'settled');
  expect(await itemsOf(stage)).toMatchObject([{ id: itemId, state: 'gone' }]);
});

test('After a declined offer the reward is promised again', async () => {
  const { stage, transferId, offerId, rewardId } = await offerClaim();
  stage.world.decline(offerId, stage.viewer.steamId);
  await transferIn(stage, transferId, 'declined');
  expect(await rewardOf(stage, rewardId)).toMatchObject({ state: 'promised', steamId: null });
  expect(await itemsOf(stage)).toMatchObject([{ state: 'held' }]);
});

test('A counter offer counts as a decline and is never accepted', async () => {
  const { stage, transferId, offerId } = await offerClaim();
  const theirs = stage.world.give(stage.viewer.steamId, hat);
  const { appid, contextid, assetid } = theirs;
  const [ours] = stage.world.inventoryOf(stage.bot.steamId, 730);
  const counter = stage.world.counter(offerId, stage.viewer.steamId, {
    give: [{ appid, contextid, assetid }],
    receive: [{ appid: 730, contextid: '2', assetid: ours?.assetid ?? '' }],
    message: 'swap?',
  });
  expect(counter.ok).toBe(true);
  await transferIn(stage, transferId, 'declined');
  expect(stage.world.inventoryOf(stage.bot.steamId, 730)).toHaveLength(1);
  expect(counter.ok && stage.world.offer(counter.offer.id)?.state).toBe(2);
});

test('An unanswered offer is cancelled, and its reward times out', async () => {
  const { stage, transferId, offerId, rewardId } = await offerClaim();
  stage.passDays(4);
  await transferIn(stage, transferId, 'cancelled');
  expect(stage.world.offer(offerId)?.state).toBe(6);
  expect(await rewardOf(stage, rewardId)).toMatchObject({ state: 'recalled', recallReason: 'timedOut' });
  expect(await itemsOf(stage)).toMatchObject([{ state: 'held' }]);
});

test('A withdrawn deposit is cancelled on Steam', async () => {
  const stage = await setSteamStage();
  await startBot(stage);
  const { transferId } = await askForDeposit(stage);
  const { offerId } = await transferIn(stage, transferId, 'sent');
  const { userId } = stage.streamer;
  expect(await cancelTransfer(stage.db, { transferId, userId }, stage.clock.now())).toEqual({
    ok: true,
    cancelled: false,
  });
  await transferIn(stage, transferId, 'cancelled');
  expect(stage.world.offer(offerId ?? '')?.state).toBe(6);
  expect(await itemsOf(stage)).toEqual([]);
});

test('Items in custody are returned to their streamer', async () => {
  const stage = await setSteamStage();
  const { itemId } = await holdItem(stage);
  await startBot(stage);
  const requestId = newId(stage.clock.now());
  const { userId } = stage.streamer;
  const asked = await returnItems(stage.db, { requestId, userId, itemIds: [itemId] }, stage.clock.now());
  expect(asked).toMatchObject({ ok: true });
  const { offerId } = await transferIn(stage, requestId, 'sent');
  expect(stage.world.accept(offerId ?? '', stage.streamer.steamId).ok).toBe(true);
  await transferIn(stage, requestId, 'accepted');
  expect(stage.world.inventoryOf(stage.streamer.steamId)).toHaveLength(1);
  expect(await itemsOf(stage)).toMatchObject([{ state: 'delivered' }]);
});

test('A held trade waits in escrow; if it is rolled back, the reward is promised again', async () => {
  const { stage, transferId, offerId, rewardId } = await offerClaim();
  stage.world.setEscrowDays(stage.bot.steamId, 3);
  expect(stage.world.accept(offerId, stage.viewer.steamId).ok).toBe(true);
  await transferIn(stage, transferId, 'escrowed');
  expect((await rewardOf(stage, rewardId)).state).toBe('reserved');
  stage.world.decline(offerId, stage.viewer.steamId);
  await transferIn(stage, transferId, 'failed');
  expect((await rewardOf(stage, rewardId)).state).toBe('promised');
  expect(await itemsOf(stage)).toMatchObject([{ state: 'held' }]);
});

test('Items released from escrow are delivered', async () => {
  const { stage, transferId, offerId, rewardId } = await offerClaim();
  stage.world.setEscrowDays(stage.bot.steamId, 1);
  expect(stage.world.accept(offerId, stage.viewer.steamId).ok).toBe(true);
  await transferIn(stage, transferId, 'escrowed');
  stage.passDays(2);
  await transferIn(stage, transferId, 'accepted', 'settled');
  expect((await rewardOf(stage, rewardId)).state).toBe('claimed');
});

test('A reversed claim returns the item under its new id and recalls the reward', async () => {
  const { stage, transferId, offerId, rewardId } = await offerClaim();
  expect(stage.world.accept(offerId, stage.viewer.steamId).ok).toBe(true);
  await transferIn(stage, transferId, 'accepted');
  const { tradeId } = await transferOf(stage, transferId);
  expect(stage.world.reverseTrade(tradeId ?? '').ok).toBe(true);
  await transferIn(stage, transferId, 'reversed');
  const [back] = stage.world.inventoryOf(stage.bot.steamId);
  expect(await itemsOf(stage)).toMatchObject([{ state: 'held', assetId: back?.assetid, contextId: '2' }]);
  expect(await rewardOf(stage, rewardId)).toMatchObject({ state: 'recalled', recallReason: 'reversed' });
});

test('A reversed deposit removes the item from custody', async () => {
  const stage = await setSteamStage();
  await startBot(stage);
  const { transferId } = await askForDeposit(stage);
  const { offerId } = await transferIn(stage, transferId, 'sent');
  stage.world.accept(offerId ?? '', stage.streamer.steamId);
  const { tradeId } = await transferIn(stage, transferId, 'accepted');
  expect(stage.world.reverseTradesOf(stage.streamer.steamId).ok).toBe(true);
  await transferIn(stage, transferId, 'reversed');
  expect(tradeId).not.toBeNull();
  expect(await itemsOf(stage)).toMatchObject([{ state: 'gone' }]);
});

test('An item that is not in the inventory is missing, and held again once it is back', async () => {
  const stage = await setSteamStage();
  const { itemId, asset } = await holdItem(stage);
  await startBot(stage);
  await until(async () => (await itemsOf(stage))[0]?.contextId === '2', 'the context after protection');
  const owner = stage.world.users().find(({ steamId }) => steamId === stage.bot.steamId);
  const taken = owner?.items.splice(0) ?? [];
  stage.passDays(minute / 86_400_000);
  await until(async () => (await itemsOf(stage))[0]?.state === 'missing', 'a missing item');
  stage.passDays(minute / 86_400_000);
  owner?.items.push(...taken);
  await until(async () => (await itemsOf(stage))[0]?.state === 'held', 'the item back');
  expect(await itemsOf(stage)).toMatchObject([{ id: itemId, assetId: asset.assetid }]);
});

test('A claim of an item that differs from the ledger is sent by itself once the operator has resolved that', async () => {
  const stage = await setSteamStage();
  const [unclear, other] = [await promiseReward(stage), await promiseReward(stage)];
  const heldBack = await claim(stage, unclear.rewardId);
  await driftOutgoing(stage.db, [unclear.itemId], stage.clock.now());
  await startBot(stage);
  await transferIn(stage, await claim(stage, other.rewardId), 'sent');
  expect((await transferOf(stage, heldBack)).state).toBe('queued');
  await settleDrift(stage.db, { itemId: unclear.itemId }, stage.clock.now());
  await transferIn(stage, heldBack, 'sent');
});

test('An offer of a rule that its owner disowned is cancelled on Steam, and the reward waits for its viewer', async () => {
  const { stage, transferId, offerId, rewardId } = await offerClaim();
  const nowMs = stage.clock.now();
  await disown(stage.db, stage.streamer, nowMs - 30 * day, nowMs);
  await transferIn(stage, transferId, 'cancelled');
  expect(stage.world.offer(offerId)?.state).toBe(6);
  expect(await rewardOf(stage, rewardId)).toMatchObject({ state: 'promised' });
  await endFreezeOf(stage.db, stage.streamer, 'goOn', stage.clock.now());
  const again = await claim(stage, rewardId);
  expect(await transferIn(stage, again, 'sent')).toMatchObject({ state: 'sent' });
});
