import { expect, test } from 'vitest';
import { listConcerns } from '#domain/custody/list-concerns.ts';
import { hour } from '#domain/kernel/time.ts';
import { cancelTransfer } from '#domain/transfer/cancel-transfer.ts';
import { faultPresets } from '#sandbox/steam/faults.ts';
import { claim, promiseReward } from '#tests/support/promised-reward.ts';
import {
  hurriedPace,
  rewardOf,
  setSteamStage,
  startBot,
  transferIn,
  transferOf,
  until,
} from '#tests/support/steam-stage.ts';

/** Offers are confirmed together, and a failure is not tried again during a test. */
const together = {
  ...hurriedPace,
  transfers: { ...hurriedPace.transfers, confirmTogetherMs: 10_000, confirmRetryMs: 600_000 },
};

test('Confirmations that fail together are accepted one by one in the same round', async () => {
  const stage = await setSteamStage();
  const rewards = [];
  for (let n = 0; n < 4; n++) rewards.push(await promiseReward(stage));
  stage.world.pushFault({ ...faultPresets.confirmingTogetherFails, times: 50 });
  const claims = [];
  for (const { rewardId } of rewards) claims.push(await claim(stage, rewardId));
  await startBot(stage, together);
  for (const id of claims) await transferIn(stage, id, 'sent');
  expect(stage.world.confirmationsOf(stage.bot.steamId)).toEqual([]);
  expect(stage.world.faults()[0]?.remaining).toBe(49);
});

test.each([-1, 1])('Offers are confirmed after the clocks have drifted apart (%d)', async (way) => {
  const stage = await setSteamStage();
  const [first, second] = [await promiseReward(stage), await promiseReward(stage)];
  await startBot(stage, hurriedPace);
  await transferIn(stage, await claim(stage, first.rewardId), 'sent');
  stage.driftSteam((way * hour) / 10);
  await transferIn(stage, await claim(stage, second.rewardId), 'sent');
});

test('An offer whose confirmation never appears is cancelled and sent again', async () => {
  const stage = await setSteamStage();
  const { rewardId } = await promiseReward(stage);
  await startBot(stage, { ...hurriedPace, transfers: { ...hurriedPace.transfers, unseenMs: 300 } });
  const never = { kind: 'body', body: { success: true, conf: [] } } as const;
  stage.world.pushFault({ target: 'confirmations', when: 'before', effect: never, times: 100_000 });
  const transferId = await claim(stage, rewardId);
  await until(async () => (await transferOf(stage, transferId)).attempts === 2, 'another offer');
  stage.world.clearFaults();
  const { offerId, attempts } = await transferIn(stage, transferId, 'sent');
  expect(attempts).toBeGreaterThanOrEqual(2);
  const offers = stage.world.offers();
  expect(offers.map(({ state }) => state)).toEqual([...Array(offers.length - 1).fill(6), 2]);
  expect(offers.at(-1)?.id).toBe(offerId);
  expect((await rewardOf(stage, rewardId)).state).toBe('reserved');
});

for (const eresult of [42, 28])
  test(`A cancellation that Steam refuses with ${eresult} pauses, concerns the operator and is tried again`, async () => {
    const stage = await setSteamStage();
    const [first, second] = [await promiseReward(stage), await promiseReward(stage)];
    const cancelRetryMs = 600_000;
    const pace = { ...hurriedPace, transfers: { ...hurriedPace.transfers, cancelRetryMs } };
    const part = await startBot(stage, pace);
    const transferId = await claim(stage, first.rewardId);
    await transferIn(stage, transferId, 'sent');
    const refused = { kind: 'result', eresult } as const;
    stage.world.pushFault({ target: 'cancel', when: 'before', effect: refused, times: 100 });
    await cancelTransfer(stage.db, { transferId, userId: stage.viewer.userId }, stage.clock.now());
    await until(() => (stage.world.faults()[0]?.remaining ?? 0) < 100, 'the first try');
    // Rounds of all workers go on meanwhile.
    await transferIn(stage, await claim(stage, second.rewardId), 'sent');
    expect(stage.world.faults()[0]?.remaining).toBe(99);
    const concerns = await listConcerns(stage.db.read, stage.clock.now() + 2 * hour);
    expect(concerns.get('bot-1')?.transfers).toMatchObject([{ transferId, concern: 'overdue' }]);
    stage.world.clearFaults();
    await part.stop();
    await startBot(stage);
    await transferIn(stage, transferId, 'cancelled');
  });
