import { eq } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { items } from '#db/schema/item.ts';
import { day } from '#domain/kernel/time.ts';
import type { Dialect } from '#sandbox/steam/dialects.ts';
import { claim, holdItem, promiseReward } from '#tests/support/promised-reward.ts';
import {
  askForDeposit,
  hat,
  itemsOf,
  rewardOf,
  type SteamStage,
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

/** Waits until an item of the same game that Steam does not have became missing, which takes two readings. */
async function untilComparedTwice(stage: SteamStage) {
  const { itemId } = await holdItem(stage, hat);
  await stage.db.transaction(async (tx) => {
    await tx.update(items).set({ assetId: '404', classId: '404' }).where(eq(items.id, itemId));
  });
  const find = async () => (await itemsOf(stage)).find(({ id }) => id === itemId);
  await until(async () => (await find())?.state === 'missing', 'the missing item');
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
    await untilComparedTwice(stage);
    expect((await itemsOf(stage)).find(({ id }) => id === item?.id)?.state).toBe('held');
    stage.passDays(8);
    await transferIn(stage, transferId, 'settled');
    const now = async () => (await itemsOf(stage)).find(({ id }) => id === item?.id);
    await until(async () => (await now())?.contextId === '2', 'the end of protection');
    expect((await now())?.state).toBe('held');
  },
);
