import { expect, test } from 'vitest';
import { mails } from '#db/schema/outbox.ts';
import { type FaultPreset, faultPresets } from '#sandbox/steam/faults.ts';
import { claim, promiseReward } from '#tests/support/promised-reward.ts';
import {
  botRow,
  hurriedPace,
  rewardOf,
  type SteamStage,
  setSteamStage,
  startBot,
  transferIn,
  transferOf,
  until,
} from '#tests/support/steam-stage.ts';

const OPERATOR = 'operator@example.org';

/** No pause ends during a test. */
const patient = {
  ...hurriedPace,
  transfers: {
    ...hurriedPace.transfers,
    refusals: {
      limited: { firstMs: 600_000, longestMs: 6_000_000 },
      busy: { firstMs: 600_000, longestMs: 6_000_000 },
      renamed: { firstMs: 600_000, longestMs: 6_000_000 },
      unclear: { firstMs: 600_000, longestMs: 6_000_000, forgiven: 2 },
    },
  },
};

const sendings = (stage: SteamStage, ids: readonly string[]) =>
  Promise.all(ids.map(async (id) => (await transferOf(stage, id)).attempts));

/** The first error of a transfer, whatever it is. */
const firstError = (stage: SteamStage, id: string) =>
  until(async () => (await transferOf(stage, id)).lastError, 'a refusal');

const operatorsMails = async (stage: SteamStage) =>
  (await stage.db.read.select().from(mails)).filter(({ template }) => template === 'offersRefused');

const pausing: [FaultPreset, string, string][] = [
  ['sendRateLimited', 'sendingLimited', 'HTTP error 429'],
  ['sendBusy', 'steamBusy', 'There was an error sending your trade offer.  Please try again later. (10)'],
  [
    'sendAfterRename',
    'botRenamed',
    'There was an error sending your trade offer.  Please try again later. (34)',
  ],
];
for (const [fault, code, said] of pausing)
  test(`After ${fault} nothing else is sent, and the operator reads what Steam said`, async () => {
    const stage = await setSteamStage();
    const [first, second] = [await promiseReward(stage), await promiseReward(stage)];
    await startBot(stage, patient, OPERATOR);
    stage.world.pushFault({ ...faultPresets[fault], times: 50 });
    const one = await claim(stage, first.rewardId);
    expect(await firstError(stage, one)).toBe(code);
    await until(async () => (await botRow(stage)).sendPauseMs > 0, 'the pause');
    const other = await claim(stage, second.rewardId);
    await transferIn(stage, one, 'queued');
    expect(await sendings(stage, [one, other])).toEqual([1, 0]);
    expect(stage.world.faults()[0]?.remaining).toBe(49);
    expect(stage.world.offers()).toEqual([]);
    expect((await rewardOf(stage, first.rewardId)).state).toBe('reserved');
    expect(await botRow(stage)).toMatchObject({ refusedWith: said, refusals: 1, refusedCode: code });
    expect((await operatorsMails(stage)).map(({ values }) => values)).toMatchObject([
      { bot: 'bot-1', said, times: '1' },
    ]);
  });

test('The pauses of a refusing account grow, and end with the first offer that Steam takes', async () => {
  const stage = await setSteamStage();
  const { rewardId } = await promiseReward(stage);
  await startBot(stage);
  stage.world.pushFault({ ...faultPresets.sendBusy, times: 2 });
  const transferId = await claim(stage, rewardId);
  const pauses = new Set<number>();
  await until(async () => {
    const { sendPauseMs } = await botRow(stage);
    if (sendPauseMs > 0) pauses.add(sendPauseMs);
    stage.passDays(1 / 24 / 60);
    return (await transferOf(stage, transferId)).state === 'sent';
  }, 'the offer');
  expect([...pauses]).toEqual([500, 1000]);
  expect(await botRow(stage)).toMatchObject({ refusedCode: null, refusals: 0, sendPauseMs: 0 });
});

const wordy: [FaultPreset, string][] = [
  ['sendToFriendsOnly', 'friendsOnly'],
  ['sendToFullInventory', 'inventoryFull'],
];
for (const [fault, code] of wordy)
  test(`A refusal in words, ${fault}, ends the transfer at once with its reason`, async () => {
    const stage = await setSteamStage();
    const [first, second] = [await promiseReward(stage), await promiseReward(stage)];
    await startBot(stage);
    stage.world.pushFault(fault);
    const transferId = await claim(stage, first.rewardId);
    expect(await firstError(stage, transferId)).toBe(code);
    expect(await transferIn(stage, transferId, 'failed')).toMatchObject({ lastError: code, attempts: 1 });
    expect((await rewardOf(stage, first.rewardId)).state).toBe('promised');
    // It concerns this receiver alone.
    await transferIn(stage, await claim(stage, second.rewardId), 'sent');
  });

test('A refusal nobody knows keeps its doubt; one offer is tried again after growing pauses', async () => {
  const stage = await setSteamStage();
  const { rewardId } = await promiseReward(stage);
  await startBot(stage, hurriedPace, OPERATOR);
  stage.world.pushFault({
    target: 'send',
    when: 'before',
    effect: { kind: 'words', message: 'Demo refusal that nobody has met yet (77)' },
    times: 50,
  });
  const transferId = await claim(stage, rewardId);
  const pauses: number[] = [];
  await until(async () => {
    const { state, attempts, runAtMs } = await transferOf(stage, transferId);
    const pauseMs = runAtMs - stage.clock.now();
    if (state === 'queued' && pauseMs > 5000 && pauses.length < attempts - 1) {
      pauses.push(Math.round(pauseMs / 20_000));
      stage.passDays(pauseMs / 86_400_000);
    }
    return pauses.length === 3;
  }, 'three pauses');
  expect(pauses).toEqual([1, 2, 4]);
  const { refusedWith, refusals } = await botRow(stage);
  expect({ refusedWith, refusals }).toEqual({
    refusedWith: 'Demo refusal that nobody has met yet (77)',
    refusals: 4,
  });
  expect(await operatorsMails(stage)).toHaveLength(1);
  expect((await rewardOf(stage, rewardId)).state).toBe('reserved');
});

test('An account that refuses several offers for a reason nobody knows pauses as a whole', async () => {
  const stage = await setSteamStage();
  const rewards = [];
  for (let n = 0; n < 5; n++) rewards.push(await promiseReward(stage));
  await startBot(stage, patient);
  stage.world.pushFault({
    target: 'send',
    when: 'before',
    effect: { kind: 'words', message: 'Demo refusal that nobody has met yet' },
    times: 50,
  });
  const claims = [];
  for (const { rewardId } of rewards) claims.push(await claim(stage, rewardId));
  await until(async () => (await botRow(stage)).sendPauseMs > 0, 'the pause');
  const tried = await sendings(stage, claims);
  expect(tried.reduce((sum, each) => sum + each, 0)).toBe(50 - (stage.world.faults()[0]?.remaining ?? 0));
  expect(tried.filter((attempts) => attempts === 0)).toHaveLength(2);
});
