import { expect, test } from 'vitest';
import { letLeaseRunOut, spawnBot } from '#tests/support/bot-process.ts';
import { claim, promiseReward } from '#tests/support/promised-reward.ts';
import {
  botRow,
  itemsOf,
  ledgerOf,
  rewardOf,
  type SteamStage,
  setSteamStage,
  startBot,
  transferIn,
  transferOf,
  until,
} from '#tests/support/steam-stage.ts';

const active = 2;
const accepted = 3;

/** Holds whatever was killed and when: one offer, one holder, and a ledger that matches Steam. */
async function expectDelivered(
  stage: SteamStage,
  { transferId, rewardId, itemId }: { transferId: string; rewardId: string; itemId: string },
) {
  await transferIn(stage, transferId, 'accepted');
  const made = stage.world.offers().filter((offer) => offer.from === stage.bot.steamId);
  expect(made.map((offer) => offer.state)).toEqual([accepted]);
  expect((await transferOf(stage, transferId)).offerId).toBe(made[0]?.id);
  expect(stage.world.inventoryOf(stage.bot.steamId)).toEqual([]);
  expect(stage.world.inventoryOf(stage.viewer.steamId)).toHaveLength(1);
  expect((await itemsOf(stage)).map(({ id, state }) => ({ id, state }))).toEqual([
    { id: itemId, state: 'delivered' },
  ]);
  expect((await ledgerOf(stage, itemId)).map(({ to }) => to)).toEqual([
    'held:bot-1',
    'outgoing',
    'delivered',
  ]);
  expect((await rewardOf(stage, rewardId)).state).toBe('claimed');
}

async function claimThenKill(
  killWhen: (stage: SteamStage, transferId: string, kill: () => void) => Promise<void>,
) {
  const stage = await setSteamStage();
  const promised = await promiseReward(stage);
  const process = spawnBot(stage);
  const transferId = await claim(stage, promised.rewardId);
  await killWhen(stage, transferId, process.kill);
  expect(await process.ended).toMatchObject({ signal: 'SIGKILL' });
  stage.watcher.onChange = () => {};
  await letLeaseRunOut(stage);
  return { stage, transferId, ...promised };
}

const offerOf = (stage: SteamStage) => stage.world.offers().find((offer) => offer.from === stage.bot.steamId);
const acceptActive = (stage: SteamStage) =>
  until(() => {
    const offer = offerOf(stage);
    return offer?.state === active && stage.world.accept(offer.id, stage.viewer.steamId).ok;
  }, 'an offer to accept');

test('A bot killed while Steam creates its offer finds that offer again and sends no second one', async () => {
  const killed = await claimThenKill(async (stage, transferId, kill) => {
    // Steam has the offer, but the process dies before the answer arrives.
    await new Promise<void>((resolve) => {
      stage.watcher.onChange = () => {
        if (!offerOf(stage)) return;
        kill();
        resolve();
      };
    });
    expect((await transferOf(stage, transferId)).state).toBe('sending');
  });
  spawnBot(killed.stage);
  await acceptActive(killed.stage);
  await expectDelivered(killed.stage, killed);
});

test('A bot killed before Steam created its offer sends it once, after it is proven absent', async () => {
  const killed = await claimThenKill(async (stage, transferId, kill) => {
    stage.world.pushFault('sendDropsBeforeEffect');
    await new Promise<void>((resolve) => {
      stage.watcher.onChange = () => {
        if (stage.world.faults().length > 0) return;
        kill();
        resolve();
      };
    });
    expect((await transferOf(stage, transferId)).state).toBe('sending');
  });
  await startBot(killed.stage);
  const { attempts } = await transferIn(killed.stage, killed.transferId, 'sent');
  expect(attempts).toBe(2);
  await acceptActive(killed.stage);
  await expectDelivered(killed.stage, killed);
});

test('A bot killed while its offer is open follows that offer to its end', async () => {
  const killed = await claimThenKill(async (stage, transferId, kill) => {
    await transferIn(stage, transferId, 'sent');
    kill();
  });
  spawnBot(killed.stage);
  await until(async () => (await botRow(killed.stage)).state === 'ready', 'a ready bot');
  await acceptActive(killed.stage);
  await expectDelivered(killed.stage, killed);
});

test('An offer accepted while no bot was running is found by the next one', async () => {
  const killed = await claimThenKill(async (stage, transferId, kill) => {
    await transferIn(stage, transferId, 'sent');
    kill();
  });
  await acceptActive(killed.stage);
  expect((await transferOf(killed.stage, killed.transferId)).state).toBe('sent');
  spawnBot(killed.stage);
  await expectDelivered(killed.stage, killed);
});

test('A bot killed at the time of acceptance records it once after its restart', async () => {
  const killed = await claimThenKill(async (stage, transferId, kill) => {
    await transferIn(stage, transferId, 'sent');
    stage.watcher.onChange = () => {
      if (offerOf(stage)?.state === accepted) kill();
    };
    await acceptActive(stage);
  });
  spawnBot(killed.stage);
  await expectDelivered(killed.stage, killed);
});

test('A second process does not use a bot whose lease the first one holds', async () => {
  const stage = await setSteamStage();
  await startBot(stage);
  const holder = (await botRow(stage)).leaseHolder;
  const second = spawnBot(stage);
  await until(() => second.output().includes('the bot is listening'), 'the second process');
  second.child.kill('SIGTERM');
  expect(await second.ended).toMatchObject({ code: 0 });
  expect(second.output()).not.toContain('the bot is ready');
  expect(await botRow(stage)).toMatchObject({ leaseHolder: holder, state: 'ready' });
});

test('A process that is asked to stop releases its bot', async () => {
  const stage = await setSteamStage();
  const first = spawnBot(stage);
  await until(() => first.output().includes('the bot is ready'), 'a ready bot');
  first.child.kill('SIGTERM');
  expect(await first.ended).toMatchObject({ code: 0 });
  expect(await botRow(stage)).toMatchObject({ leaseHolder: null, state: 'offline' });
  expect(stage.world.isConnected(stage.bot.steamId)).toBe(false);
});
