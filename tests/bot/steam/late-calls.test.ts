import { expect, test, vi } from 'vitest';
import { callInTime, LeaseLapsed } from '#bot/call-in-time.ts';
import { HELD_MS } from '#bot/leases.ts';
import { steamErrors } from '#bot/metrics.ts';
import { createLimiters, type Limiters } from '#bot/steam/limiters.ts';
import { LiveAccount } from '#bot/steam/live-account.ts';
import { startSteam } from '#bot/steam/start-steam.ts';
import type { SteamSession } from '#bot/steam/steam-session.ts';
import { holdNext } from '#tests/support/held-requests.ts';
import { heldLease } from '#tests/support/leases.ts';
import { claim, promiseReward } from '#tests/support/promised-reward.ts';
import { hurriedPace, setSteamStage, transferIn, until } from '#tests/support/steam-stage.ts';

test.each([
  ['is made while the lease is held', true],
  ['is not made if the lease ended while it waited for its turn', false],
])('A call to Steam %s', async (_, isHeldLater) => {
  let isHeld = true;
  const webApi: Limiters['webApi'] = {
    async take(task) {
      isHeld = isHeldLater;
      return { value: await task() };
    },
    refuseVisitors() {},
  };
  const contain = vi.fn(async () => {
    throw new Error('Steam does not answer');
  });
  const session = { isReady: true, contain, clients: {}, webSessionLost() {} } as unknown as SteamSession;
  const account = new LiveAccount({
    botId: 'bot-1',
    steamId: '76561198000000009',
    identitySecret: 'c2VjcmV0',
    session,
    limiters: { ...createLimiters(hurriedPace.services), webApi },
    leftMs: () => (isHeld ? HELD_MS : 0),
  });
  const answer = await account.profile();
  expect(answer).toMatchObject({ ok: false, ...(!isHeldLater && { detail: 'the lease ended' }) });
  expect(contain).toHaveBeenCalledTimes(isHeldLater ? 1 : 0);
});

test('A call to Steam that ends with our lease is no error of Steam’s, and what it changes may have happened', async () => {
  const contain = async () => {
    throw new LeaseLapsed();
  };
  const session = { isReady: true, contain, clients: {}, webSessionLost() {} } as unknown as SteamSession;
  const account = new LiveAccount({
    botId: 'bot-1',
    steamId: '76561198000000009',
    identitySecret: 'c2VjcmV0',
    session,
    limiters: createLimiters(hurriedPace.services),
    leftMs: () => HELD_MS,
  });
  steamErrors.reset();
  expect(await account.profile()).toMatchObject({ code: 'steamBusy', retry: 'later' });
  const answer = await account.acknowledgeProtection();
  expect(answer).toMatchObject({ code: 'answerLost', retry: 'unknown', isCutOff: true });
  expect(answer).not.toHaveProperty('isUnanswered');
  expect((await steamErrors.get()).values).toEqual([]);
});

test('A call lasts as long as its lease, which may be renewed meanwhile, and its late answer is dropped', async () => {
  vi.useFakeTimers();
  try {
    let leftMs = 400;
    const made = { isAborted: false, answer: (_: string) => {} };
    const call = callInTime(
      () => leftMs,
      (signal) => {
        signal.addEventListener('abort', () => {
          made.isAborted = true;
        });
        return new Promise<string>((resolve) => {
          made.answer = resolve;
        });
      },
    );
    const ended = expect(call).rejects.toBeInstanceOf(LeaseLapsed);
    await vi.advanceTimersByTimeAsync(300);
    leftMs = 1000;
    await vi.advanceTimersByTimeAsync(900);
    expect(made.isAborted).toBe(false);
    leftMs = 0;
    await vi.advanceTimersByTimeAsync(250);
    expect(made.isAborted).toBe(true);
    made.answer('late');
    await ended;
    const make = vi.fn();
    await expect(callInTime(() => 0, make)).rejects.toBeInstanceOf(LeaseLapsed);
    expect(make).not.toHaveBeenCalled();
    expect(vi.getTimerCount()).toBe(0);
  } finally {
    vi.useRealTimers();
  }
});

/** A claim that is being sent, and that Steam does not answer until the test lets it. */
async function heldSending(when: 'before' | 'after') {
  const stage = await setSteamStage();
  const { rewardId } = await promiseReward(stage);
  const lease = { leftMs: HELD_MS };
  const deps = { ...stage.deps(), lease: heldLease(stage.db, { leftMs: () => lease.leftMs }) };
  const part = startSteam(deps, hurriedPace);
  await until(() => part.report().steam?.state === 'ready', 'a ready bot');
  const held = holdNext(stage, 'send', when);
  const transferId = await claim(stage, rewardId);
  await held.isHeld;
  return { stage, part, lease, transferId, answer: held.release };
}

// Without the abortion these calls would end with their HTTP timeout, after half a minute.
const timeout = 20_000;

test('An offer that is being sent when the lease lapses is uncertain at once, and found once the lease is back', {
  timeout,
}, async () => {
  const { stage, part, lease, transferId, answer } = await heldSending('after');
  lease.leftMs = 0;
  await transferIn(stage, transferId, 'uncertain');
  answer();
  lease.leftMs = HELD_MS;
  await transferIn(stage, transferId, 'sent');
  expect(stage.world.offers().filter(({ from }) => from === stage.bot.steamId)).toHaveLength(1);
  await part.stop();
});

test('A part stops although Steam does not answer, and leaves the offer that was being sent to be searched for', {
  timeout,
}, async () => {
  const { stage, part, transferId, answer } = await heldSending('before');
  await part.stop();
  // On a busy machine the stop may end before the report has.
  expect(await transferIn(stage, transferId, 'uncertain')).toMatchObject({ offerId: null });
  answer();
});
