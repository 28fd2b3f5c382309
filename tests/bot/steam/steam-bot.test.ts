import { expect, onTestFinished, test, vi } from 'vitest';
import { countDown, HELD_MS } from '#bot/leases.ts';
import { createLimiters, type Limiters } from '#bot/steam/limiters.ts';
import { SteamBot } from '#bot/steam/steam-bot.ts';
import { bots } from '#db/schema/bot.ts';
import { recordUsedBots } from '#domain/bot/record-used-bots.ts';
import { day, hour, minute } from '#domain/kernel/time.ts';
import { heldLease } from '#tests/support/leases.ts';
import { holdTime, passTime, stepHostClock } from '#tests/support/passing-time.ts';
import {
  botRow,
  hurriedPace,
  type SteamStage,
  setSteamStage,
  startBot,
  until,
} from '#tests/support/steam-stage.ts';

let left = countDown(0);
/** Renews the lease, and lets the bot log on when due. */
function tend(bot: SteamBot): Promise<void> {
  left = countDown(HELD_MS);
  return bot.tend(Date.now());
}

/** The stage's bot alone, whose lease the test renews at a system time that stands still. */
async function leasedBot(stage: SteamStage, limits: Partial<Limiters> = {}, proxy = stage.steam.proxyUrl) {
  holdTime();
  onTestFinished(() => void vi.useRealTimers());
  const used = [{ botId: stage.credentials.name, isReady: false }];
  await recordUsedBots(stage.db, { epoch: 1, used }, { nowMs: stage.clock.now(), systemMs: Date.now() });
  left = countDown(HELD_MS);
  const lease = heldLease(stage.db, { leftMs: () => left() });
  const onReady = vi.fn();
  const bot = new SteamBot({
    deps: { ...stage.deps(), lease },
    credentials: { ...stage.credentials, proxy },
    limiters: { ...createLimiters(hurriedPace.services), ...limits },
    pollIntervalMs: 1000,
    refusalPauseMs: 20,
    callLeftMs: lease.leftMs,
    onReady,
    onOfferChanged: () => {},
  });
  onTestFinished(() => bot.stop());
  return { bot, onReady };
}

/** Waits while the time stands still; the test's own time limit ends a wait in vain. */
async function soon(ask: () => unknown): Promise<void> {
  while (!(await ask())) await new Promise((resolve) => setTimeout(resolve, 20));
}

const stateOf = async (stage: SteamStage) => (await botRow(stage)).state;

test('A ready bot is seen as alive for as long as it runs', async () => {
  const stage = await setSteamStage();
  await startBot(stage);
  const { heartbeatAtMs } = await botRow(stage);
  await until(async () => (await botRow(stage)).heartbeatAtMs > heartbeatAtMs, 'another heartbeat');
});

test('A bot whose account is used elsewhere takes it back after pauses that double', async () => {
  const stage = await setSteamStage();
  // Its log-on never ends, so nothing reports that the trouble is over.
  const { bot } = await leasedBot(stage, {
    community: { take: () => new Promise(() => {}), refuseVisitors: () => {} },
  });
  await tend(bot);
  for (const minutes of [2, 4, 8]) {
    await soon(() => stage.world.isConnected(stage.bot.steamId));
    stage.world.kick(stage.bot.steamId, 6);
    await soon(async () => (await stateOf(stage)) === 'offline');
    await soon(() => !stage.world.isConnected(stage.bot.steamId));
    expect(bot.report()).toEqual({ state: 'faulty', detail: 'sessionTaken' });
    passTime(minutes * minute - 1);
    await tend(bot);
    expect(await stateOf(stage)).toBe('offline');
    passTime(1);
    await tend(bot);
    expect(await stateOf(stage)).toBe('starting');
  }
});

test.each([9, -9])(
  'A pause is as long while the clock is %d hours off, and after it was set right',
  async (hours) => {
    const stage = await setSteamStage();
    const { bot } = await leasedBot(stage, {
      community: { take: () => new Promise(() => {}), refuseVisitors: () => {} },
    });
    stepHostClock(hours * hour);
    await tend(bot);
    await soon(() => stage.world.isConnected(stage.bot.steamId));
    stage.world.kick(stage.bot.steamId, 6);
    await soon(async () => (await stateOf(stage)) === 'offline');
    stepHostClock(-hours * hour);
    passTime(2 * minute - 1);
    await tend(bot);
    expect(await stateOf(stage)).toBe('offline');
    passTime(1);
    await tend(bot);
    expect(await stateOf(stage)).toBe('starting');
  },
);

test('A bot whose session ends while it prepares its account works with the next session', async () => {
  const stage = await setSteamStage();
  const { community } = createLimiters(hurriedPace.services);
  const preparing = { begun: false, over: false, goOn: () => {} };
  const gate = new Promise<void>((resolve) => {
    preparing.goOn = resolve;
  });
  vi.spyOn(community, 'take').mockImplementationOnce(async (task) => {
    preparing.begun = true;
    await gate;
    const value = await task().finally(() => {
      preparing.over = true;
    });
    return { value };
  });
  const { bot } = await leasedBot(stage, { community });
  await tend(bot);
  await soon(() => preparing.begun);
  stage.world.kick(stage.bot.steamId, 6);
  await soon(async () => (await stateOf(stage)) === 'offline');
  preparing.goOn();
  await soon(() => preparing.over);
  passTime(3 * 60_000);
  await tend(bot);
  await soon(() => bot.account);
  expect(await bot.account?.inventory(stage.bot.steamId, 730, '2')).toEqual({ ok: true, value: [] });
});

test('Nobody acts for an account without its lease; with it again the bot looks for what it missed', async () => {
  const stage = await setSteamStage();
  const { bot, onReady } = await leasedBot(stage);
  expect(bot.report()).toEqual({ state: 'starting', detail: '' });
  await tend(bot);
  await soon(() => bot.isReady && bot.account);
  expect(bot.report()).toEqual({ state: 'ready' });
  expect(onReady).toHaveBeenCalledTimes(1);

  passTime(HELD_MS);
  expect(bot.account).toBeNull();
  await tend(bot);
  expect(bot.account).not.toBeNull();
  expect(onReady).toHaveBeenCalledTimes(2);
  await tend(bot);
  expect(onReady).toHaveBeenCalledTimes(2);

  await bot.stop();
  expect([bot.account, bot.isReady]).toEqual([null, false]);
  await soon(() => !stage.world.isConnected(stage.bot.steamId));
});

test('A bot is ready once it has acknowledged the notice about protection, which takes one call', async () => {
  const stage = await setSteamStage();
  const { community } = createLimiters(hurriedPace.services);
  const take = vi.spyOn(community, 'take').mockResolvedValueOnce(null);
  const { bot } = await leasedBot(stage, { community });
  await tend(bot);
  await soon(() => bot.account);
  expect(bot.isReady).toBe(false);
  for (let heartbeats = 0; heartbeats < 2; heartbeats++) {
    await tend(bot);
    expect(bot.isReady).toBe(true);
  }
  expect(take).toHaveBeenCalledTimes(2);
});

test('A log-on that does not finish is started again', async () => {
  const stage = await setSteamStage();
  const logins = createLimiters(hurriedPace.services).logins;
  const take = vi.spyOn(logins, 'take');
  const { bot } = await leasedBot(stage, { logins }, 'http://127.0.0.1:9');
  await tend(bot);
  await tend(bot);
  expect(take).toHaveBeenCalledTimes(1);
  passTime(91_000);
  await tend(bot);
  expect(take).toHaveBeenCalledTimes(2);
});

for (const eresult of [20, 48])
  test(`The pauses of a bot whose log-ons are all answered with ${eresult} grow, and survive a restart`, async () => {
    const stage = await setSteamStage();
    stage.world.pushFault({
      target: 'logOn',
      when: 'before',
      effect: { kind: 'result', eresult },
      times: 999,
    });
    const { bot } = await leasedBot(stage);
    const timeOut = async () => {
      await tend(bot);
      await soon(() => (stage.world.faults()[0]?.remaining ?? 0) < 999);
      passTime(91_000);
      await tend(bot);
    };
    const pauses: number[] = [];
    for (const _time of [1, 2, 3]) {
      await timeOut();
      const { logOnPauseMs } = await botRow(stage);
      pauses.push(logOnPauseMs);
      passTime(logOnPauseMs);
    }
    expect(pauses).toEqual([0, 10_000, 20_000]);
    await bot.stop();
    const logins = createLimiters(hurriedPace.services).logins;
    const take = vi.spyOn(logins, 'take');
    stepHostClock(-1);
    const { bot: again } = await leasedBot(stage, { logins });
    await tend(again);
    expect(again.report()).toEqual({ state: 'faulty', detail: 'steamUnavailable' });
    expect(take).not.toHaveBeenCalled();
    passTime(1);
    await tend(again);
    expect(take).toHaveBeenCalledTimes(1);
    passTime(91_000);
    await tend(again);
    expect(await botRow(stage)).toMatchObject({ logOnPauseMs: 40_000, logOnFailures: 4 });
  });

test('What the database did not take of a log-on is stored with the next heartbeat', async () => {
  const stage = await setSteamStage();
  const { transaction } = stage.db;
  let isAway = false;
  let refused = 0;
  stage.db.transaction = (decide, options) => {
    if (!isAway) return transaction(decide, options);
    refused += 1;
    return Promise.reject(new Error('the database is away'));
  };
  const { community } = createLimiters(hurriedPace.services);
  vi.spyOn(community, 'take').mockImplementationOnce(async (task) => {
    isAway = true;
    return { value: await task() };
  });
  const { bot, onReady } = await leasedBot(stage, { community });
  await tend(bot);
  await soon(() => bot.isReady && onReady.mock.calls.length > 0);
  expect(refused).toBe(3);
  isAway = false;
  expect(await stateOf(stage)).toBe('starting');
  await tend(bot);
  expect(await botRow(stage)).toMatchObject({
    ...{ state: 'ready', fault: null, protectionAcknowledged: true },
    steamId: stage.bot.steamId,
  });
});

test('A log-on whose turn comes after its lease is not begun, until the lease is held again', async () => {
  const stage = await setSteamStage();
  const logins = createLimiters(hurriedPace.services).logins;
  vi.spyOn(logins, 'take').mockImplementationOnce(async (task) => {
    passTime(HELD_MS);
    return { value: await task() };
  });
  const { bot } = await leasedBot(stage, { logins });
  await tend(bot);
  expect(stage.world.isConnected(stage.bot.steamId)).toBe(false);
  await tend(bot);
  expect(logins.take).toHaveBeenCalledTimes(2);
  await soon(() => bot.account);
});

test('A log-on that found no turn is tried again with the next heartbeat', async () => {
  const stage = await setSteamStage();
  const logins = createLimiters(hurriedPace.services).logins;
  vi.spyOn(logins, 'take').mockResolvedValueOnce(null);
  const { bot } = await leasedBot(stage, { logins });
  await tend(bot);
  await tend(bot);
  await soon(() => bot.account);
});

test('A bot whose web session is not renewed in time logs on again', async () => {
  const stage = await setSteamStage();
  const logins = createLimiters(hurriedPace.services).logins;
  const take = vi.spyOn(logins, 'take');
  const { bot } = await leasedBot(stage, { logins });
  await tend(bot);
  await soon(() => bot.account);
  stage.world.killAccessTokens(stage.bot.steamId);
  const lost = await bot.account?.holdDurations(stage.viewer.steamId, 'tokenABC');
  expect(lost).toMatchObject({ ok: false, code: 'steamSessionLost' });
  expect([bot.account, bot.isReady]).toEqual([null, false]);
  passTime(90_001);
  await tend(bot);
  expect(take).toHaveBeenCalledTimes(2);
});

/** Stores a token that the bot got earlier. */
const remember = (stage: SteamStage, refreshTokenSealed: string) =>
  stage.db.transaction(async (tx) => {
    await tx.insert(bots).values({ id: stage.credentials.name, refreshTokenSealed, firstSeenAtMs: 0 });
  });

/** A stored token that Steam refuses. */
function rememberForged(stage: SteamStage, expiresAtMs: number) {
  const aud = ['client', 'derive'];
  const claims = { iss: 'steam', sub: stage.bot.steamId, aud, exp: Math.floor(expiresAtMs / 1000) };
  const forged = `x.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.x`;
  return remember(stage, stage.deps().vault.seal(forged, 'bot:bot-1'));
}

test('When Steam has refused the token it gave last three times, the configured one is tried', async () => {
  const stage = await setSteamStage();
  await rememberForged(stage, 4_000_000_000_000);
  const logins = createLimiters(hurriedPace.services).logins;
  const take = vi.spyOn(logins, 'take');
  const { bot } = await leasedBot(stage, { logins });
  await soon(async () => {
    passTime(20);
    await tend(bot);
    return bot.account;
  });
  expect(take).toHaveBeenCalledTimes(3 + 1);
  await soon(async () => (await stateOf(stage)) === 'ready');
  expect((await botRow(stage)).fault).toBeNull();
});

test('Of the stored and the configured token the one that is valid for longer is tried first', async () => {
  for (const days of [1, 10_000]) {
    const stage = await setSteamStage();
    await rememberForged(stage, Date.now() + days * day);
    const logins = createLimiters(hurriedPace.services).logins;
    const take = vi.spyOn(logins, 'take');
    const { bot } = await leasedBot(stage, { logins });
    await tend(bot);
    await soon(async () => bot.account ?? (await stateOf(stage)) === 'offline');
    expect(bot.account !== null, `${days} days`).toBe(days === 1);
    expect(take).toHaveBeenCalledTimes(1);
    vi.useRealTimers();
  }
});

test('A stored token that was sealed with another key is left alone', async () => {
  const stage = await setSteamStage();
  await remember(stage, 'sealed with another key');
  await startBot(stage);
  expect((await botRow(stage)).state).toBe('ready');
});
