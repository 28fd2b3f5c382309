import { expect, onTestFinished, test, vi } from 'vitest';
import type { LogOnVerdict } from '#bot/steam/log-on-fault.ts';
import { callbackToPromise } from '#bot/steam/steam-clients.ts';
import { type LogOnDetails, SteamSession } from '#bot/steam/steam-session.ts';
import { holdTime, passTime, stepHostClock } from '#tests/support/passing-time.ts';
import { hat, type SteamStage, setSteamStage, until } from '#tests/support/steam-stage.ts';

/** A session of the stage's bot, and its reports. */
function sessionOf(stage: SteamStage, saveRefreshToken: (token: string) => Promise<void> = async () => {}) {
  const seen = { ready: 0, offers: new Set<string>(), ended: [] as LogOnVerdict[] };
  const session = new SteamSession(
    { proxy: stage.steam.proxyUrl, pollIntervalMs: 1000 },
    {
      saveRefreshToken,
      onReady: () => void seen.ready++,
      onEnded: (verdict) => void seen.ended.push(verdict),
      onOfferChanged: (offerId) => void seen.offers.add(offerId),
    },
    stage.deps().log,
  );
  onTestFinished(() => session.end());
  return { session, seen };
}

const tokenOf = ({ credentials }: SteamStage) => credentials as { refreshToken: string };

/** A session that is ready, and a function that gives it another web session, as Steam does after a renewal. */
async function readySession(saveRefreshToken?: (token: string) => Promise<void>) {
  const stage = await setSteamStage();
  const { session, seen } = sessionOf(stage, saveRefreshToken);
  let cookies: string[] = [];
  session.clients.user.on('webSession', (_id, given) => {
    cookies = given;
  });
  session.start(tokenOf(stage));
  await until(() => session.isReady, 'a ready session');
  const renew = () => session.clients.user.emit('webSession', '', cookies);
  const renewed = async () => {
    const { ready } = seen;
    renew();
    // Tests that let the time stand still leave this one alone.
    while (seen.ready === ready) await new Promise((resolve) => setImmediate(resolve));
  };
  /** Ends after everything that `renew` has begun. */
  const settled = () =>
    callbackToPromise<void>((callback) => session.clients.manager.setCookies(cookies, callback));
  return { stage, session, seen, renew, renewed, settled };
}

test('A sent offer is reported when it appears on Steam, and when it changes there', async () => {
  const { stage, seen } = await readySession();
  const { appid, contextid, assetid } = stage.world.give(stage.bot.steamId, hat);
  stage.world.acknowledgeProtection(stage.bot.steamId);
  const sent = stage.world.send(stage.bot.steamId, {
    to: stage.viewer.steamId,
    token: 'tokenABC',
    give: [{ appid, contextid, assetid }],
    receive: [],
    message: 'sent by hand',
  });
  if (!sent.ok) throw new Error('the sandbox refused the offer');
  const { id } = sent.offer;
  stage.world.confirm(id, stage.bot.steamId);
  await until(() => seen.offers.has(id), 'the new offer');
  seen.offers.clear();
  stage.world.decline(id, stage.viewer.steamId);
  await until(() => seen.offers.has(id), 'the changed offer');
});

test('A host clock that is stepped does not change what time it is for Steam', async () => {
  const { session } = await readySession();
  const atFirst = session.clockAheadSeconds;
  holdTime();
  onTestFinished(() => void vi.useRealTimers());
  for (const hours of [5, -2, -3]) {
    const before = session.clockAheadSeconds;
    stepHostClock(hours * 3_600_000);
    const step = before - session.clockAheadSeconds;
    expect(Math.abs(step - hours * 3600), `a step of ${hours} hours`).toBeLessThanOrEqual(1);
  }
  // The clock that is told by the test stands still meanwhile.
  expect(Math.abs(session.clockAheadSeconds - atFirst)).toBeLessThan(60);
});

test('Polls become rarer, and frequent again at once', async () => {
  const { session } = await readySession();
  const { manager } = session.clients;
  await new Promise((resolve) => manager.once('pollSuccess', () => resolve(null)));
  const doPoll = vi.spyOn(manager, 'doPoll');
  session.pollEvery(24 * 3_600_000);
  session.pollEvery(24 * 3_600_000);
  expect(doPoll).not.toHaveBeenCalled();
  await new Promise((resolve) => manager.once('pollSuccess', () => resolve(null)));
  session.pollEvery(1000);
  expect(doPoll).toHaveBeenCalled();
  for (let polls = 0; polls < 2; polls++)
    await new Promise((resolve) => manager.once('pollSuccess', () => resolve(null)));
});

test('A web session that is lost again and again is renewed after ever longer pauses', async () => {
  const { session, renewed } = await readySession();
  const relog = vi.spyOn(session.clients.user, 'relog').mockReturnValue();
  const webLogOn = vi.spyOn(session.clients.user, 'webLogOn').mockReturnValue();
  holdTime(Date.now(), ['setTimeout', 'clearTimeout']);
  onTestFinished(() => void vi.useRealTimers());
  for (const seconds of [0, 30, 60, 120, 240, 480, 600, 600]) {
    session.webSessionLost();
    session.webSessionLost();
    expect(session.isReady).toBe(false);
    if (seconds > 0) vi.advanceTimersByTime(seconds * 1000 - 1);
    expect(relog, `before ${seconds} s`).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(relog, `after ${seconds} s`).toHaveBeenCalledTimes(1);
    relog.mockClear();
    await renewed();
    expect(session.isReady).toBe(true);
  }
  expect(webLogOn).not.toHaveBeenCalled();
  passTime(10 * 60_000);
  session.webSessionLost();
  vi.advanceTimersByTime(1);
  expect(relog).not.toHaveBeenCalled();
  expect(webLogOn).toHaveBeenCalledTimes(1);
});

test('Either package may report that the web session has expired', async () => {
  const { session, renewed } = await readySession();
  vi.spyOn(session.clients.user, 'relog').mockReturnValue();
  vi.spyOn(session.clients.user, 'webLogOn').mockReturnValue();
  const { manager, community } = session.clients;
  for (const reporter of [manager, community]) {
    (reporter as { emit(event: string, error: Error): void }).emit(
      'sessionExpired',
      new Error('Not Logged In'),
    );
    expect(session.isReady).toBe(false);
    await renewed();
    expect(session.isReady).toBe(true);
  }
});

test('A renewal that Steam made unnecessary does not interrupt the session', async () => {
  const { session, renewed } = await readySession();
  const relog = vi.spyOn(session.clients.user, 'relog').mockReturnValue();
  holdTime(Date.now(), ['setTimeout', 'clearTimeout']);
  onTestFinished(() => void vi.useRealTimers());
  session.webSessionLost();
  vi.advanceTimersByTime(1);
  await renewed();
  session.webSessionLost();
  relog.mockClear();
  await renewed();
  vi.advanceTimersByTime(30_000);
  expect(relog).not.toHaveBeenCalled();
});

test('A session has failed that is not ready in time; a pause before its renewal counts as well', async () => {
  const { session, renewed } = await readySession();
  holdTime(Date.now(), ['setTimeout', 'clearTimeout']);
  onTestFinished(() => void vi.useRealTimers());
  vi.spyOn(session.clients.user, 'relog').mockReturnValue();
  passTime(3_600_000);
  expect(session.hasTimedOut).toBe(false);
  const timesOutAfter = (seconds: number) => {
    passTime(seconds * 1000);
    expect(session.hasTimedOut).toBe(false);
    passTime(1);
    expect(session.hasTimedOut).toBe(true);
  };
  session.clients.user.emit('disconnected', 3, 'NoConnection');
  timesOutAfter(5 * 60);
  await renewed();
  session.webSessionLost();
  timesOutAfter(90);
  await renewed();
  session.webSessionLost();
  timesOutAfter(30 + 90);
});

test('A session is not used before its new refresh token is stored', async () => {
  let stored = () => {};
  let storing = Promise.resolve();
  const { session, seen, renew, settled } = await readySession(() => storing);
  const { ready } = seen;
  storing = new Promise((resolve) => {
    stored = resolve;
  });
  session.clients.user.emit('refreshToken', 'a new token');
  renew();
  await settled();
  expect(seen.ready).toBe(ready);
  stored();
  await until(() => seen.ready > ready, 'the stored session');
});

test('A new refresh token that could not be stored is stored again until it is', async () => {
  const stored: string[] = [];
  let failures = 2;
  const { session, seen, renew } = await readySession(async (token) => {
    if (token === 'a new token' && failures-- > 0) throw new Error('the database is away');
    stored.push(token);
  });
  const { ready } = seen;
  session.clients.user.emit('refreshToken', 'a new token');
  renew();
  await until(() => seen.ready > ready, 'the stored session');
  expect(stored.at(-1)).toBe('a new token');
  expect(failures).toBe(-1);
});

test('A log-on has failed after a minute and a half', async () => {
  const stage = await setSteamStage();
  const { session } = sessionOf(stage);
  holdTime();
  onTestFinished(() => void vi.useRealTimers());
  session.start(tokenOf(stage));
  // Steam's servers drop a log-on now and then; that gives it no more time.
  session.clients.user.emit('disconnected', 3, 'NoConnection');
  passTime(90_000);
  expect(session.hasTimedOut).toBe(false);
  passTime(1);
  expect(session.hasTimedOut).toBe(true);
});

test('A session that has ended reports nothing more', async () => {
  const { session, seen, renew, settled } = await readySession();
  const relog = vi.spyOn(session.clients.user, 'relog').mockReturnValue();
  session.end();
  expect(session.isReady).toBe(false);
  session.clients.user.emit('error', Object.assign(new Error('LoggedInElsewhere'), { eresult: 6 }));
  session.clients.user.emit('disconnected', 3, 'NoConnection');
  session.webSessionLost();
  renew();
  await settled();
  expect(session.isReady).toBe(false);
  expect(seen).toMatchObject({ ready: 1, ended: [] });
  expect(relog).not.toHaveBeenCalled();
});

test('A session that ends before it has begun to log on does not log on', async () => {
  const stage = await setSteamStage();
  const { session } = sessionOf(stage);
  const logOn = vi.spyOn(session.clients.user, 'logOn');
  const started = session.start(tokenOf(stage));
  session.end();
  await started;
  expect(logOn).not.toHaveBeenCalled();
});

/** A log-on with a password, of which Steam asks for codes of the authenticator. */
async function guarded() {
  const stage = await setSteamStage();
  const { session, seen } = sessionOf(stage);
  const { accountName, password } = stage.login;
  let codes = 0;
  await session.start({ accountName, password, guardCode: () => `code ${++codes}` } satisfies LogOnDetails);
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const given: string[] = [];
  const ask = (domain: string | null, lastCodeWrong: boolean) =>
    session.clients.user.emit('steamGuard', domain, (code: string) => void given.push(code), lastCodeWrong);
  return { seen, given, ask };
}

test('Steam gets a new code of the authenticator, after a wrong one once that has expired, three times at most', async () => {
  const { seen, given, ask } = await guarded();
  ask(null, false);
  vi.advanceTimersByTime(1);
  expect(given).toEqual(['code 2']);
  ask(null, true);
  vi.advanceTimersByTime(30_999);
  expect(given).toEqual(['code 2']);
  vi.advanceTimersByTime(1);
  expect(given).toEqual(['code 2', 'code 3']);
  ask(null, false);
  expect(seen.ended).toEqual([]);
  ask(null, false);
  vi.advanceTimersByTime(60_000);
  expect(given).toEqual(['code 2', 'code 3', 'code 4']);
  expect(seen.ended).toMatchObject([{ fault: 'guardCodeRefused', next: { again: true } }]);
});

test('A code that Steam sends by email is beyond us: somebody has to log the bot on', async () => {
  const { seen, given, ask } = await guarded();
  ask('example.org', false);
  vi.advanceTimersByTime(60_000);
  expect(given).toEqual([]);
  expect(seen.ended).toEqual([{ fault: 'guardCodeRefused', next: { again: false } }]);
});
