import { expect, test } from 'vitest';
import { leases } from '#db/schema/lease.ts';
import { type BotProcess, spawnBot } from '#tests/support/bot-process.ts';
import { endAllLeases } from '#tests/support/leases.ts';
import { claim, promiseReward } from '#tests/support/promised-reward.ts';
import {
  botRow,
  rewardOf,
  setSteamStage,
  transferIn,
  transferOf,
  until,
} from '#tests/support/steam-stage.ts';

const accepted = 3;
const isReady = (one: BotProcess) => until(() => one.output().includes('the bot is ready'), 'a ready bot');

test('A process that is paused while it sends an offer, and wakes after another took over, doubles nothing', {
  timeout: 120_000,
}, async () => {
  const stage = await setSteamStage();
  const { rewardId } = await promiseReward(stage);
  const older = spawnBot(stage);
  await isReady(older);
  const younger = spawnBot(stage);
  await until(() => younger.output().includes('the bot is listening'), 'the second process');

  const offers = () => stage.world.offers().filter(({ from }) => from === stage.bot.steamId);
  const paused = new Promise<void>((resolve) => {
    // Steam has the offer, and its answer waits for the process.
    stage.watcher.onChange = () => {
      if (offers().length === 0) return;
      stage.watcher.onChange = () => {};
      older.child.kill('SIGSTOP');
      resolve();
    };
  });
  const transferId = await claim(stage, rewardId);
  await paused;
  expect((await transferOf(stage, transferId)).state).toBe('sending');
  await endAllLeases(stage.db);
  await isReady(younger);
  older.child.kill('SIGCONT');
  await until(() => older.output().includes('lost a lease'), 'the end of the older process’s parts');

  await transferIn(stage, transferId, 'sent');
  const [offer] = await until(() => (offers()[0]?.state === 2 ? offers() : null), 'a confirmed offer');
  expect(stage.world.accept(offer?.id ?? '', stage.viewer.steamId).ok).toBe(true);
  await transferIn(stage, transferId, 'accepted');
  expect(offers().map(({ id, state }) => [id, state])).toEqual([[offer?.id, accepted]]);
  expect((await rewardOf(stage, rewardId)).state).toBe('claimed');
  expect(stage.world.inventoryOf(stage.viewer.steamId)).toHaveLength(1);
  // The older one is a standby now, and has written nothing since.
  const rows = await stage.db.read.select().from(leases);
  expect(new Set(rows.map(({ epoch }) => epoch))).toEqual(new Set([2]));
  expect(await botRow(stage)).toMatchObject({ leaseEpoch: 2, state: 'ready' });
  expect(older.output()).not.toContain('offer sent');
});
