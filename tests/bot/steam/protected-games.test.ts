import { expect, test } from 'vitest';
import { day } from '#domain/kernel/time.ts';
import type { Dialect } from '#sandbox/steam/dialects.ts';
import { claim, promiseReward } from '#tests/support/promised-reward.ts';
import {
  askForDeposit,
  hat,
  itemsOf,
  rewardOf,
  setSteamStage,
  startBot,
  transferIn,
  until,
} from '#tests/support/steam-stage.ts';

/** Steam protects every game, and says so in different ways. */
const shapes: [string, Partial<Dialect>][] = [
  ['the time of settlement', { newIds: 'named', settlement: 'named' }],
  ['the context alone', { newIds: 'named', settlement: 'absent' }],
  ['neither', { newIds: 'omitted', settlement: 'absent' }],
];

/** A stage whose Steam protects what is exchanged in any game. */
async function protectingStage(shape: Partial<Dialect>) {
  const stage = await setSteamStage();
  stage.world.speak({ ...shape, protectedGames: 'all' });
  await startBot(stage);
  return stage;
}

test.each(shapes)(
  'A claim of another game’s item, of which Steam tells %s, can be reversed for days',
  async (_, shape) => {
    const stage = await protectingStage(shape);
    const { rewardId } = await promiseReward(stage, hat);
    const transferId = await claim(stage, rewardId);
    const { offerId } = await transferIn(stage, transferId, 'sent');
    expect(stage.world.accept(offerId ?? '', stage.viewer.steamId).ok).toBe(true);
    const { tradeId, settlesAtMs } = await transferIn(stage, transferId, 'accepted');
    expect(settlesAtMs).toBeGreaterThan(stage.clock.now() + 6.9 * day);
    stage.passDays(2);
    expect(stage.world.reverseTrade(tradeId ?? '').ok).toBe(true);
    await transferIn(stage, transferId, 'reversed');
    expect(await rewardOf(stage, rewardId)).toMatchObject({ state: 'recalled', recallReason: 'reversed' });
    expect(await itemsOf(stage)).toMatchObject([{ state: 'held', contextId: '2' }]);
  },
);

test.each(shapes)(
  'A deposit of another game’s item, of which Steam tells %s, is held and locked while it is protected',
  async (_, shape) => {
    const stage = await protectingStage(shape);
    const { transferId } = await askForDeposit(stage, hat);
    const { offerId } = await transferIn(stage, transferId, 'sent');
    expect(stage.world.accept(offerId ?? '', stage.streamer.steamId).ok).toBe(true);
    await transferIn(stage, transferId, 'accepted');
    const [item] = await itemsOf(stage);
    expect(item).toMatchObject({ state: 'held', contextId: '16' });
    expect(item?.lockedUntilMs).toBeGreaterThanOrEqual(stage.clock.now() + 6.9 * day);
    stage.passDays(8);
    await transferIn(stage, transferId, 'settled');
    await until(async () => (await itemsOf(stage))[0]?.contextId === '2', 'the end of protection');
    expect(await itemsOf(stage)).toMatchObject([{ state: 'held' }]);
  },
);
