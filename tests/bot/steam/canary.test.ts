import { expect, test } from 'vitest';
import { claim, promiseReward } from '#tests/support/promised-reward.ts';
import {
  askForDeposit,
  hat,
  hurriedPace,
  itemsOf,
  rewardOf,
  type SteamStage,
  setSteamStage,
  startBot,
  transferIn,
  transferOf,
  until,
} from '#tests/support/steam-stage.ts';

const empty = (target: 'getTradeOffers' | 'getTradeOffer' | 'getTradeStatus', response: object = {}) =>
  ({ target, when: 'before', effect: { kind: 'body', body: { response } }, times: 1000 }) as const;

const ownOffers = (stage: SteamStage) =>
  stage.world.offers().filter(({ from }) => from === stage.bot.steamId);

test('A list that leaves out an offer known to be open proves no other one absent', async () => {
  const stage = await setSteamStage();
  await startBot(stage);
  const known = await askForDeposit(stage);
  await transferIn(stage, known.transferId, 'sent');
  stage.world.pushFault('sendDropsAfterEffect');
  // The page of sent offers cannot be read meanwhile.
  stage.world.pushFault({
    target: 'tradePage',
    when: 'before',
    effect: { kind: 'status', status: 500 },
    times: 1000,
  });
  stage.world.pushFault(empty('getTradeOffers', { next_cursor: 0 }));
  const { transferId } = await askForDeposit(stage);
  await transferIn(stage, transferId, 'uncertain');
  const asked = () => 1000 - (stage.world.faults().at(-1)?.remaining ?? 0);
  const before = asked();
  await until(() => asked() > before + 10, 'many lists');
  expect(await transferOf(stage, transferId)).toMatchObject({ state: 'uncertain', cleanPolls: 0 });
  expect(ownOffers(stage)).toHaveLength(2);

  stage.world.clearFaults();
  const { offerId } = await transferIn(stage, transferId, 'sent');
  stage.world.accept(offerId ?? '', stage.streamer.steamId);
  await transferIn(stage, transferId, 'accepted');
  expect(await itemsOf(stage)).toHaveLength(1);
});

test.each([
  ['another one', 1],
  ['none', 0],
])(
  'An open offer that the list leaves out is found on the page of sent offers while %s is known',
  async (_, known) => {
    const stage = await setSteamStage();
    stage.world.speak({ openOffers: 'leftOut' });
    await startBot(stage);
    for (let nth = 0; nth < known; nth += 1)
      await transferIn(stage, (await askForDeposit(stage)).transferId, 'sent');
    stage.world.pushFault('sendDropsAfterEffect');
    const { transferId } = await askForDeposit(stage);
    expect(await transferIn(stage, transferId, 'sent')).toMatchObject({ attempts: 1 });
    expect(ownOffers(stage)).toHaveLength(known + 1);
  },
);

test('A listed offer of one game proves none of another absent', async () => {
  const stage = await setSteamStage();
  stage.world.speak({ openOffers: 'counterStrikeLeftOut' });
  await startBot(stage);
  await transferIn(stage, (await askForDeposit(stage, hat)).transferId, 'sent');
  stage.world.pushFault('sendDropsAfterEffect');
  const { transferId } = await askForDeposit(stage);
  expect(await transferIn(stage, transferId, 'sent')).toMatchObject({ attempts: 1 });
  expect(ownOffers(stage)).toHaveLength(2);
});

/** A claim and a deposit that were accepted while Steam answers so. */
async function accepted(trouble: (stage: SteamStage) => void) {
  const stage = await setSteamStage();
  const { rewardId } = await promiseReward(stage);
  await startBot(stage, hurriedPace);
  const given = await claim(stage, rewardId);
  const taken = (await askForDeposit(stage)).transferId;
  const offers = [];
  for (const [id, partner] of [
    [given, stage.viewer.steamId],
    [taken, stage.streamer.steamId],
  ] as const)
    offers.push([(await transferIn(stage, id, 'sent')).offerId ?? '', partner] as const);
  trouble(stage);
  for (const [offerId, partner] of offers) expect(stage.world.accept(offerId, partner).ok).toBe(true);
  await transferIn(stage, given, 'accepted');
  await transferIn(stage, taken, 'accepted');
  expect((await rewardOf(stage, rewardId)).state).toBe('claimed');
  expect(await itemsOf(stage)).toHaveLength(2);
  const tradeIds = (await Promise.all([given, taken].map((id) => transferOf(stage, id)))).map(
    ({ tradeId }) => tradeId,
  );
  return { stage, tradeIds };
}

test('An accepted offer whose trade Steam does not name is found in the history', async () => {
  const { tradeIds } = await accepted(({ world }) => world.speak({ acceptedTrades: 'unnamed' }));
  expect(tradeIds.every(Boolean)).toBe(true);
});

test('A trade whose status stays empty is found in the history', async () => {
  const { tradeIds } = await accepted(({ world }) => world.pushFault(empty('getTradeStatus')));
  expect(tradeIds.every(Boolean)).toBe(true);
});

test('An offer that Steam does not show by its id is found in the list', async () => {
  await accepted(({ world }) => world.pushFault(empty('getTradeOffer')));
});

test('When neither the offer nor the history names a trade, the inventory decides', async () => {
  const { tradeIds } = await accepted(({ world }) => {
    world.speak({ acceptedTrades: 'unnamed' });
    world.pushFault({
      target: 'getTradeHistory',
      when: 'before',
      effect: { kind: 'body', body: { response: { trades: [] } } },
      times: 1000,
    });
  });
  expect(tradeIds).toEqual([null, null]);
});

test('An offer that Steam never shows by its id is confirmed and sent', async () => {
  const stage = await setSteamStage();
  const { rewardId } = await promiseReward(stage);
  await startBot(stage);
  stage.world.pushFault(empty('getTradeOffer'));
  await transferIn(stage, await claim(stage, rewardId), 'sent');
});
