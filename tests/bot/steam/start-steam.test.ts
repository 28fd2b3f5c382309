import { expect, onTestFinished, test } from 'vitest';
import { workerRounds } from '#bot/metrics.ts';
import { LONGEST_VISIT_MS } from '#bot/steam/inventory-reader.ts';
import { startSteam } from '#bot/steam/start-steam.ts';
import { bots } from '#db/schema/bot.ts';
import { hour } from '#domain/kernel/time.ts';
import { heldLease } from '#tests/support/leases.ts';
import { claim, promiseReward } from '#tests/support/promised-reward.ts';
import { hurriedPace, setSteamStage, startBot, transferIn, until } from '#tests/support/steam-stage.ts';

test('Without bots Steam is off, and no trade link can be checked', async () => {
  const stage = await setSteamStage();
  const part = startSteam(stage.deps([]), hurriedPace);
  onTestFinished(() => part.stop());
  expect(part.report()).toEqual({ steam: { state: 'off', detail: 'STEAM_BOTS_FILE is not set' } });
  expect(
    await part.readiness({ userId: 'viewer', steamId: stage.viewer.steamId, tradeToken: 'tokenABC' }),
  ).toMatchObject({
    ok: false,
    code: 'steamUnavailable',
    retry: 'later',
  });
});

test('A trade link is checked with a bot that is ready', async () => {
  const stage = await setSteamStage();
  const part = await startBot(stage);
  expect(part.report()).toEqual({ steam: { state: 'ready' }, 'steam: bot-1': { state: 'ready' } });
  const { values } = await workerRounds.get();
  expect(values.map(({ labels }) => labels.worker)).toContain('tend-bots');
  const [row] = await stage.db.read.select().from(bots);
  expect(row?.leaseEpoch).toBe(1);
  expect(
    await part.readiness({ userId: 'viewer', steamId: stage.viewer.steamId, tradeToken: 'tokenABC' }),
  ).toEqual({
    ok: true,
    value: { ourDays: 0, theirDays: 0 },
  });
  expect(
    await part.readiness({ userId: 'viewer', steamId: stage.viewer.steamId, tradeToken: 'another' }),
  ).toMatchObject({
    ok: false,
  });
});

test('A claim that the web process announces is sent at once', async () => {
  const stage = await setSteamStage();
  const { rewardId } = await promiseReward(stage);
  const slow = { ...hurriedPace.transfers, queueMs: 3_600_000 };
  const part = await startBot(stage, { ...hurriedPace, transfers: slow });
  const transferId = await claim(stage, rewardId);
  part.nudge();
  await transferIn(stage, transferId, 'sent', 'unconfirmed');
});

test('After its lease is lost a bot is logged off at once, also while its work is under way', async () => {
  const stage = await setSteamStage();
  let isLost = false;
  const lease = heldLease(stage.db, { isLost: () => isLost });
  const part = startSteam({ ...stage.deps(), lease }, hurriedPace);
  await until(() => part.report().steam?.state === 'ready', 'a ready bot');
  const { transaction } = stage.db;
  const work = { isUnderWay: false, end: () => {} };
  const ended = new Promise<void>((resolve) => {
    work.end = resolve;
  });
  stage.db.transaction = async (decide, options) => {
    work.isUnderWay = true;
    await ended;
    return transaction(decide, options);
  };
  await until(() => work.isUnderWay, 'the work');
  isLost = true;
  const stopped = part.stop();
  onTestFinished(() => stopped);
  onTestFinished(() => work.end());
  await until(() => !stage.world.isConnected(stage.bot.steamId), 'the end of the session');
});

test('A part that is stopped does not wait for turns at Steam, neither its own nor those of visitors', async () => {
  const stage = await setSteamStage();
  const inventory = { gapMs: hour, burst: 1, maxWaitMs: 9 * hour };
  stage.world.pushFault({
    target: 'inventory',
    when: 'before',
    effect: { kind: 'status', status: 503 },
    times: 10,
  });
  const part = await startBot(stage, { ...hurriedPace, services: { ...hurriedPace.services, inventory } });
  // The next reading is due in an hour.
  await until(() => stage.world.faults()[0]?.remaining === 9, 'the first reading');
  const { userId, steamId } = stage.viewer;
  const beganMs = performance.now();
  const visit = part.inventories.read({ userId, steamId, appId: 730, contextId: '2' });
  await part.stop();
  expect(await visit).toMatchObject({ ok: false, code: 'steamBusy' });
  expect(performance.now() - beganMs).toBeLessThan(LONGEST_VISIT_MS / 2);
});

test('A bot that is ready stores how Steam shows its account', async () => {
  const stage = await setSteamStage();
  await startBot(stage);
  const stored = await until(async () => {
    const [row] = await stage.db.read.select().from(bots);
    return row?.profileReadAtMs ? row : null;
  }, 'the profile');
  expect(stored).toMatchObject({ profileName: 'Demo bot', delivered: 0, reversed: 0 });
  expect(stored.steamLevel).toBeGreaterThan(0);
  expect(stored.steamSinceMs).toBeLessThan(Date.now());
});
