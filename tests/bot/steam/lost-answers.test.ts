import { expect, test } from 'vitest';
import type { FaultPreset } from '#sandbox/steam/faults.ts';
import { claim, promiseReward } from '#tests/support/promised-reward.ts';
import {
  askForDeposit,
  hat,
  itemsOf,
  ledgerOf,
  rewardOf,
  type SteamStage,
  setSteamStage,
  startBot,
  transferIn,
  until,
} from '#tests/support/steam-stage.ts';

const ourOffers = (stage: SteamStage) =>
  stage.world.offers().filter((offer) => offer.from === stage.bot.steamId);

const afterEffect: FaultPreset[] = [
  'sendAnswers500AfterEffect',
  'sendDropsAfterEffect',
  'sendTimesOutAfterEffect',
];
const beforeEffect: FaultPreset[] = [
  'sendAnswers500BeforeEffect',
  'sendDropsBeforeEffect',
  'sendTimesOutBeforeEffect',
];

for (const fault of [...afterEffect, ...beforeEffect])
  test(`A claim whose sending fails with ${fault} results in exactly one offer`, async () => {
    const stage = await setSteamStage();
    const { rewardId, itemId } = await promiseReward(stage);
    await startBot(stage);
    stage.world.pushFault(fault);
    const transferId = await claim(stage, rewardId);
    const { offerId, attempts } = await transferIn(stage, transferId, 'sent');
    expect(attempts).toBe(afterEffect.includes(fault) ? 1 : 2);
    expect(ourOffers(stage).map(({ id }) => id)).toEqual([offerId]);

    expect(stage.world.accept(offerId ?? '', stage.viewer.steamId).ok).toBe(true);
    await transferIn(stage, transferId, 'accepted');
    expect(stage.world.inventoryOf(stage.viewer.steamId)).toHaveLength(1);
    expect((await rewardOf(stage, rewardId)).state).toBe('claimed');
    const steps = (await ledgerOf(stage, itemId)).map(({ to }) => to);
    expect(steps).toEqual(['held:bot-1', 'outgoing', 'delivered']);
  });

test('A deposit with a lost answer that was accepted meanwhile is found as accepted', async () => {
  const stage = await setSteamStage();
  await startBot(stage);
  stage.world.pushFault('sendDropsAfterEffect');
  stage.watcher.onChange = () => {
    const offer = ourOffers(stage)[0];
    if (!offer) return;
    stage.watcher.onChange = () => {};
    // After the answer was lost, and before anybody reads the offers.
    setImmediate(() => stage.world.accept(offer.id, stage.streamer.steamId));
  };
  const { transferId } = await askForDeposit(stage);
  await transferIn(stage, transferId, 'accepted');
  expect(ourOffers(stage)).toHaveLength(1);
  expect(await itemsOf(stage)).toHaveLength(1);
});

test('While the sent offers cannot be read, an uncertain one stays uncertain', async () => {
  const stage = await setSteamStage();
  const { rewardId } = await promiseReward(stage);
  await startBot(stage);
  stage.world.pushFault('sendDropsBeforeEffect');
  const unreadable = { kind: 'status', status: 503 } as const;
  stage.world.pushFault({ target: 'getTradeOffers', when: 'before', effect: unreadable, times: 30 });
  const transferId = await claim(stage, rewardId);
  await transferIn(stage, transferId, 'uncertain');
  await until(() => (stage.world.faults()[0]?.remaining ?? 0) < 26, 'several polls in vain');
  expect((await transferIn(stage, transferId, 'uncertain')).cleanPolls).toBe(0);
  expect(ourOffers(stage)).toEqual([]);
  stage.world.clearFaults();
  await transferIn(stage, transferId, 'sent');
  expect(ourOffers(stage)).toHaveLength(1);
});

test('A confirmation with a lost answer is not repeated, and the offer becomes active', async () => {
  const stage = await setSteamStage();
  const { rewardId } = await promiseReward(stage);
  await startBot(stage);
  stage.world.pushFault('confirmationDropsAfterEffect');
  const transferId = await claim(stage, rewardId);
  await transferIn(stage, transferId, 'sent');
  expect(stage.world.confirmationsOf(stage.bot.steamId)).toEqual([]);
});

test('Other pending confirmations on the bot’s authenticator are not confirmed', async () => {
  const stage = await setSteamStage();
  const { rewardId } = await promiseReward(stage);
  await startBot(stage);
  const { appid, contextid, assetid } = stage.world.give(stage.bot.steamId, hat);
  const foreign = stage.world.send(stage.bot.steamId, {
    to: stage.viewer.steamId,
    token: 'tokenABC',
    give: [{ appid, contextid, assetid }],
    receive: [],
    message: 'sent by hand',
  });
  if (!foreign.ok) throw new Error('the sandbox refused the foreign offer');
  const transferId = await claim(stage, rewardId);
  await transferIn(stage, transferId, 'sent');
  const waiting = stage.world.confirmationsOf(stage.bot.steamId).map(({ offerId }) => offerId);
  expect(waiting).toEqual([foreign.offer.id]);
});

test('Rate limited confirmations are retried', async () => {
  const stage = await setSteamStage();
  const { rewardId } = await promiseReward(stage);
  await startBot(stage);
  const limited = { kind: 'status', status: 429 } as const;
  stage.world.pushFault({ target: 'confirmations', when: 'before', effect: limited, times: 3 });
  const transferId = await claim(stage, rewardId);
  await transferIn(stage, transferId, 'sent');
  expect(stage.world.faults()).toEqual([]);
});
