import { expect, test } from 'vitest';
import { claim, promiseReward } from '#tests/support/promised-reward.ts';
import {
  askForDeposit,
  hat,
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

/** The viewer claims after this trouble; the reward must be promised again. */
async function claimAfter(trouble: (stage: SteamStage) => void, kind = rifle) {
  const stage = await setSteamStage();
  const { rewardId } = await promiseReward(stage, kind);
  await startBot(stage);
  trouble(stage);
  const transferId = await claim(stage, rewardId);
  return { stage, transferId, rewardId };
}

const refusals: [string, (stage: SteamStage) => void, string][] = [
  [
    'a trade link that is no longer valid',
    ({ world, viewer }) => world.rotateTradeToken(viewer.steamId),
    'steamTokenInvalid',
  ],
  [
    'a hidden inventory',
    ({ world, viewer }) => world.setPrivateInventory(viewer.steamId, true),
    'inventoryPrivate',
  ],
  [
    'a ban from the game',
    ({ world, viewer }) => {
      const person = world.users().find(({ steamId }) => steamId === viewer.steamId);
      if (person) person.isGameBanned = true;
    },
    'gameBanned',
  ],
  [
    'a full inventory',
    ({ world, viewer }) => {
      for (let items = 0; items < 1000; items += 1) world.give(viewer.steamId, rifle);
    },
    'inventoryFull',
  ],
  ['a trade ban', ({ world, viewer }) => world.setTradeBan(viewer.steamId, 9_999_999_999), 'tradeBanned'],
  [
    'an item that is not there',
    ({ world, bot }) =>
      world
        .users()
        .find(({ steamId }) => steamId === bot.steamId)
        ?.items.splice(0),
    'itemUnavailable',
  ],
];
for (const [trouble, make, code] of refusals)
  test(`A claim that meets ${trouble} fails as ${code}, and the reward is promised again`, async () => {
    const { stage, transferId, rewardId } = await claimAfter(make);
    expect((await transferIn(stage, transferId, 'failed')).lastError).toBe(code);
    expect((await rewardOf(stage, rewardId)).state).toBe('promised');
    expect(stage.world.offers()).toEqual([]);
  });

test('A claim for a free account whose backpack of fifty is full fails as such; with one item less it is sent', async () => {
  const backpackOf = (items: number) => (stage: SteamStage) => {
    stage.viewer.steam.backpackSlots = 50;
    for (let each = 0; each < items; each += 1) stage.world.give(stage.viewer.steamId, hat);
  };
  const full = await claimAfter(backpackOf(50), hat);
  expect((await transferIn(full.stage, full.transferId, 'failed')).lastError).toBe('inventoryFull');
  const roomy = await claimAfter(backpackOf(49), hat);
  await transferIn(roomy.stage, roomy.transferId, 'sent');
});

test('A deposit of a missing item fails as itemUnavailable', async () => {
  const stage = await setSteamStage();
  await startBot(stage);
  stage.world.setPrivateInventory(stage.streamer.steamId, false);
  const owner = stage.world.users().find(({ steamId }) => steamId === stage.streamer.steamId);
  stage.world.pushFault({ target: 'send', when: 'before', effect: { kind: 'result', eresult: 26 } });
  const { transferId } = await askForDeposit(stage);
  expect((await transferIn(stage, transferId, 'failed')).lastError).toBe('itemUnavailable');
  expect(owner?.items).toHaveLength(1);
  expect(await itemsOf(stage)).toEqual([]);
});

test("While the game's item server is down, an offer waits and is sent later", async () => {
  const { stage, transferId } = await claimAfter(({ world }) => world.pushFault('itemServerDown'));
  const waiting = await until(async () => {
    const transfer = await transferOf(stage, transferId);
    return transfer.lastError === 'steamUnavailable' ? transfer : null;
  });
  expect(waiting).toMatchObject({ state: 'queued', attempts: 1 });
  expect(waiting.runAtMs).toBeGreaterThan(stage.clock.now());
  stage.passDays(1 / 24);
  await transferIn(stage, transferId, 'sent');
});

test('An invalid access token is renewed, and the claim is sent', async () => {
  const { stage, transferId } = await claimAfter(({ world, bot }) => world.killAccessTokens(bot.steamId));
  await until(async () => {
    const { state, runAtMs } = await transferOf(stage, transferId);
    // Every attempt until the bot has logged on again postpones it.
    if (state === 'queued' && runAtMs > stage.clock.now()) stage.passDays(1 / 24);
    return state === 'sent';
  }, 'the claim to go out');
});

test('A lost connection is restored', async () => {
  const stage = await setSteamStage();
  const part = await startBot(stage);
  stage.world.closeSocket(stage.bot.steamId);
  await until(() => part.report().steam?.state !== 'ready', 'the loss to be seen');
  await until(() => part.report().steam?.state === 'ready', 'the bot back');
});

test('A bot whose account is used elsewhere stays off and reports why', async () => {
  const stage = await setSteamStage();
  const part = await startBot(stage);
  stage.world.kick(stage.bot.steamId, 6);
  await until(() => part.report()['steam: bot-1']?.detail === 'sessionTaken', 'the fault');
  expect(part.report().steam?.state).toBe('faulty');
});
