import { expect, test } from 'vitest';
import { leases } from '#db/schema/lease.ts';
import { type BotProcess, letLeaseRunOut, spawnBot } from '#tests/support/bot-process.ts';
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

test('A second process stands by without the bot that the first one uses, and takes over once that has stopped', async () => {
  const stage = await setSteamStage();
  const isReady = (one: BotProcess) => until(() => one.output().includes('the bot is ready'), 'a ready bot');
  const first = spawnBot(stage);
  await isReady(first);
  const second = spawnBot(stage);
  await until(() => second.output().includes('the bot is listening'), 'the second process');
  await until(async () => (await stage.db.read.select().from(leases)).length > 3, 'the leases');
  expect(second.output()).not.toContain('took a lease');
  first.child.kill('SIGTERM');
  expect(await first.ended).toMatchObject({ code: 0 });
  await isReady(second);
  expect(first.output()).not.toContain('lost a lease');
  expect(await botRow(stage)).toMatchObject({ leaseEpoch: 2, state: 'ready' });
});

test('A process that is asked to stop gives its parts up', async () => {
  const stage = await setSteamStage();
  const first = spawnBot(stage);
  await until(() => first.output().includes('the bot is ready'), 'a ready bot');
  first.child.kill('SIGTERM');
  expect(await first.ended).toMatchObject({ code: 0 });
  const rows = await stage.db.read.select().from(leases);
  expect(rows.map(({ name, holder }) => [name, holder]).sort()).toEqual(
    ['billing', 'housekeeping', 'mails', 'pushes', 'steam', 'twitch:0'].map((name) => [name, null]),
  );
  expect(await botRow(stage)).toMatchObject({ state: 'offline' });
  expect(stage.world.isConnected(stage.bot.steamId)).toBe(false);
});
