import { expect, test } from 'vitest';
import { instanceTagOf, offerMessageOf } from '#bot/steam/transfers/offer-message.ts';
import { newId } from '#domain/kernel/id.ts';
import { day } from '#domain/kernel/time.ts';
import { returnItems } from '#domain/transfer/return-items.ts';
import { type Dialect, type DialectPart, dialectParts, shapesOf } from '#sandbox/steam/dialects.ts';
import { letLeaseRunOut } from '#tests/support/bot-process.ts';
import { playClaim, playDeposit, playReturn } from '#tests/support/dialect-plays.ts';
import { type Deed, titleOf } from '#tests/support/dialect-table.ts';
import { pairwise } from '#tests/support/pairwise.ts';
import { claim, holdItem, promiseReward } from '#tests/support/promised-reward.ts';
import {
  askForDeposit,
  itemsOf,
  rewardOf,
  rifle,
  type SteamStage,
  setSteamStage,
  startBot,
  transferIn,
  transferOf,
  until,
} from '#tests/support/steam-stage.ts';

/**
 * Shapes with rows of their own, below, in `dialect-kinds.test.ts` or in `self-test.test.ts`; an inventory without its
 * assets is a passing trouble.
 */
const apart = [
  'inventory',
  'silence',
  'openOffers',
  'firstSendings',
  'renewals',
  'confirmations',
  'stacks',
] as const;
type Apart = (typeof apart)[number];
const lasting = dialectParts.filter(
  (part): part is Exclude<DialectPart, Apart> => !apart.includes(part as Apart),
);
const rows = pairwise<Omit<Dialect, Apart>>(
  Object.fromEntries(lasting.map((part) => [part, shapesOf(part)])) as never,
);
const named = rows.map((row) => [lasting.map((part) => row[part]).join(' '), row] as const);
/** In the form of a title from which `npm run dialects` makes its table. */
const inDialect = (...deeds: Deed[]) => titleOf(deeds, '%s');

test.each(named)(inDialect('claim', 'reversal'), (_, row) => playClaim({ shape: row }));
test.each(named)(inDialect('deposit'), (_, row) => playDeposit({ shape: row }));
test.each(named)(inDialect('return', 'restart'), (_, row) => playReturn({ shape: row }));

/** Ends five offers of the bot's to each of them, which Steam allows nobody to exceed. */
function endOffers({ world, bot, viewer, streamer }: SteamStage) {
  world.acknowledgeProtection(bot.steamId);
  for (const to of [viewer, streamer])
    for (let ended = 0; ended < 5; ended += 1) {
      const { assetid } = world.give(to.steamId, rifle);
      const request = {
        to: to.steamId,
        token: to.steam.tradeToken,
        give: [],
        receive: [{ appid: 730, contextid: '2', assetid }],
      };
      const sent = world.send(bot.steamId, request);
      if (!sent.ok || !world.decline(sent.offer.id, to.steamId).ok) throw new Error('no ended offer');
    }
}

/** Waits until Steam has refused this attempt as one too many, and the bot has looked at what ended. */
const refusedAsTooMany = (stage: SteamStage, transferId: string, attempt: number) =>
  until(async () => {
    const { state, attempts, lastError } = await transferOf(stage, transferId);
    const sees = stage.world.offersOf(stage.bot.steamId).every(({ isUnseenEnd }) => !isUnseenEnd);
    return sees && state === 'queued' && attempts === attempt && lastError === 'offerLimit';
  }, `refusal ${attempt}`);

const blocked = 'ended offers count until seen';

test(titleOf(['claim', 'deposit', 'reversal'], blocked), async () => {
  const stage = await setSteamStage();
  const { world, viewer } = stage;
  world.speak({ endedOffers: 'countUntilSeen' });
  const { rewardId } = await promiseReward(stage);
  endOffers(stage);
  await startBot(stage);
  const transferId = await claim(stage, rewardId);
  await refusedAsTooMany(stage, transferId, 1);
  stage.passDays(1 / 24);
  const { offerId, attempts } = await transferIn(stage, transferId, 'sent');
  expect(attempts).toBe(2);
  expect(world.accept(offerId ?? '', viewer.steamId).ok).toBe(true);
  const { tradeId } = await transferIn(stage, transferId, 'accepted');
  // The one visit was for all.
  const deposit = await askForDeposit(stage);
  expect((await transferIn(stage, deposit.transferId, 'sent')).attempts).toBe(1);
  expect(world.reverseTrade(tradeId ?? '').ok).toBe(true);
  await transferIn(stage, transferId, 'reversed');
  expect(await itemsOf(stage)).toMatchObject([{ state: 'held' }]);
  expect(await rewardOf(stage, rewardId)).toMatchObject({ state: 'recalled', recallReason: 'reversed' });
});

test(titleOf(['return', 'restart'], blocked), async () => {
  const stage = await setSteamStage();
  const { world, streamer } = stage;
  world.speak({ endedOffers: 'countUntilSeen' });
  const { itemId } = await holdItem(stage);
  endOffers(stage);
  const first = await startBot(stage);
  const requestId = newId(stage.clock.now());
  const asked = { requestId, userId: streamer.userId, itemIds: [itemId] };
  expect(await returnItems(stage.db, asked, stage.clock.now())).toMatchObject({ ok: true });
  await refusedAsTooMany(stage, requestId, 1);
  await first.stop();
  await letLeaseRunOut(stage);
  // More of them end while the bot is away.
  endOffers(stage);
  stage.passDays(1 / 24);
  await startBot(stage);
  await refusedAsTooMany(stage, requestId, 2);
  stage.passDays(1 / 24);
  const { offerId, attempts } = await transferIn(stage, requestId, 'sent');
  expect(attempts).toBe(3);
  expect(world.accept(offerId ?? '', streamer.steamId).ok).toBe(true);
  await transferIn(stage, requestId, 'accepted');
  stage.passDays(8);
  await transferIn(stage, requestId, 'settled');
  expect(await itemsOf(stage)).toMatchObject([{ id: itemId, state: 'gone' }]);
});

test('An undone claim’s item is found under its new id', async () => {
  const stage = await setSteamStage();
  const { world, bot, viewer } = stage;
  world.speak({ failedTrades: 'newIds' });
  const { rewardId, asset } = await promiseReward(stage);
  await startBot(stage);
  const transferId = await claim(stage, rewardId);
  const { offerId } = await transferIn(stage, transferId, 'sent');
  world.setEscrowDays(bot.steamId, 3);
  world.accept(offerId ?? '', viewer.steamId);
  await transferIn(stage, transferId, 'escrowed');
  world.decline(offerId ?? '', viewer.steamId);
  await transferIn(stage, transferId, 'failed');
  const [back] = world.inventoryOf(bot.steamId);
  expect(back?.assetid).not.toBe(asset.assetid);
  await until(async () => (await itemsOf(stage))[0]?.assetId === back?.assetid, 'the new id');
  expect(await itemsOf(stage)).toMatchObject([{ state: 'held' }]);
});

test('An inventory without its assets makes nothing missing, and a claim waits for it', async () => {
  const stage = await setSteamStage();
  const { world } = stage;
  const { rewardId } = await promiseReward(stage);
  await holdItem(stage);
  world.speak({ inventory: 'emptyWithTotal' });
  await startBot(stage);
  const transferId = await claim(stage, rewardId);
  await until(async () => (await transferOf(stage, transferId)).lastError, 'an attempt');
  expect(await transferOf(stage, transferId)).toMatchObject({
    state: 'queued',
    lastError: 'steamUnavailable',
  });
  expect((await itemsOf(stage)).map(({ state }) => state).sort()).toEqual(['held', 'outgoing']);
  world.speak({ inventory: 'listed' });
  stage.passDays(1 / 24);
  await transferIn(stage, transferId, 'sent');
});

test('An inventory with an unreadable row makes nothing missing, and a claim of what it may hold waits', async () => {
  const stage = await setSteamStage();
  const { world } = stage;
  const hidden = await promiseReward(stage);
  const shown = await promiseReward(stage);
  world.speak({ inventory: 'oddRow' });
  await startBot(stage);
  await transferIn(stage, await claim(stage, shown.rewardId), 'sent');
  const transferId = await claim(stage, hidden.rewardId);
  await until(async () => (await transferOf(stage, transferId)).lastError, 'an attempt');
  expect(await transferOf(stage, transferId)).toMatchObject({
    state: 'queued',
    lastError: 'steamUnavailable',
  });
  await holdItem(stage);
  expect((await itemsOf(stage)).map(({ state }) => state)).not.toContain('missing');
  world.speak({ inventory: 'listed' });
  stage.passDays(1 / 24);
  await transferIn(stage, transferId, 'sent');
});

test('A private inventory and a dead web session make nothing missing', async () => {
  const stage = await setSteamStage();
  const { world, bot } = stage;
  const { rewardId } = await promiseReward(stage);
  world.setPrivateInventory(bot.steamId, true);
  await startBot(stage);
  world.killAccessTokens(bot.steamId);
  const transferId = await claim(stage, rewardId);
  await until(async () => {
    stage.passDays(1 / 24);
    return (await transferIn(stage, transferId, 'queued', 'sending', 'unconfirmed', 'sent')).offerId;
  }, 'an offer');
});

test('With Steam two hours behind, codes are right, and an offer without an answer is found', async () => {
  const stage = await setSteamStage({ steamAheadMs: -day / 12 });
  const { world, streamer, viewer } = stage;
  const { rewardId } = await promiseReward(stage);
  await startBot(stage);
  const transferId = await claim(stage, rewardId);
  const sent = await transferIn(stage, transferId, 'sent');
  expect(world.accept(sent.offerId ?? '', viewer.steamId).ok).toBe(true);
  await transferIn(stage, transferId, 'accepted');
  world.pushFault('sendDropsAfterEffect');
  stage.watcher.onChange = () => {
    const offer = world.offers().find(({ from, state }) => from === stage.bot.steamId && state === 2);
    if (!offer) return;
    stage.watcher.onChange = () => {};
    setImmediate(() => world.accept(offer.id, streamer.steamId));
  };
  const deposit = await askForDeposit(stage);
  await transferIn(stage, deposit.transferId, 'accepted');
  expect(world.offers()).toHaveLength(2);
});

test('An open offer of ours that no transfer knows is cancelled, one of another instance stays', async () => {
  const stage = await setSteamStage();
  const { world, bot, viewer } = stage;
  const { assetid } = world.give(viewer.steamId, rifle);
  const send = (message: string) => {
    const receive = [{ appid: 730, contextid: '2', assetid }];
    const sent = world.send(bot.steamId, {
      to: viewer.steamId,
      token: viewer.steam.tradeToken,
      give: [],
      receive,
      message,
    });
    if (!sent.ok) throw new Error(sent.message);
    return sent.offer;
  };
  await startBot(stage);
  const deposit = { kind: 'deposit', securityCode: 'K7Q2-M4XD' } as const;
  const foreign = send('sent by hand');
  const others = send(offerMessageOf(deposit, instanceTagOf('another key')));
  const stray = send(offerMessageOf(deposit, instanceTagOf(stage.encryptionKey)));
  await until(() => world.offer(stray.id)?.state === 6, 'the cancelled stray');
  expect([foreign, others].map(({ id }) => world.offer(id)?.state)).toEqual([2, 2]);
});
