import { describe, expect, test, vi } from 'vitest';
import { twitchPoints } from '#bot/metrics.ts';
import { twitchApi } from '#bot/twitch/api.ts';
import { DatabaseAuthProvider } from '#bot/twitch/grants/database-auth-provider.ts';
import { createGrantKeeper } from '#bot/twitch/grants/grant-keeper.ts';
import { linkGrants } from '#bot/twitch/grants/grant-stores.ts';
import { twitchOAuth } from '#bot/twitch/grants/oauth.ts';
import { TokenBucket } from '#bot/twitch/pace/token-bucket.ts';
import { hour } from '#domain/kernel/time.ts';
import { holdTime, passTime, stepHostClock } from '#tests/support/passing-time.ts';
import { addTwitchPerson, clientId, clientSecret, type Stage, setStage } from './stage.ts';

const quiet = { warn: () => {} };
/** Time that a bucket waits after a 429 without a reset time. */
const unsaidHoldMs = 5000;
const answer = (status: number, headers: Record<string, string> = {}) =>
  new Response(status === 204 ? null : '{}', { status, headers });
const points = (remaining: number, resetMs: number) => ({
  'Ratelimit-Limit': '800',
  'Ratelimit-Remaining': String(remaining),
  'Ratelimit-Reset': String(resetMs / 1000),
});

/** Time only passes when the test advances it; it starts at a whole second, like Twitch's. */
function standStill() {
  holdTime(1_800_000_000_000);
  return { nowMs: 1_800_000_000_000, [Symbol.dispose]: () => void vi.useRealTimers() };
}

describe('A patient call', () => {
  test('comes after the others, and no faster than it is said', async () => {
    const bucket = new TokenBucket(quiet);
    const made: [string, number][] = [];
    const spend = (name: string, patient: boolean) =>
      bucket.spend(
        async () => {
          made.push([name, performance.now()]);
          return answer(200);
        },
        patient ? 200 : null,
      );
    await spend('first', true);
    await Promise.all([spend('patient', true), spend('other', true), spend('urgent', false)]);
    expect(made.map(([name]) => name)).toEqual(['first', 'urgent', 'patient', 'other']);
    const [first, , second, third] = made.map(([, atMs]) => atMs);
    expect((second ?? 0) - (first ?? 0)).toBeGreaterThan(180);
    expect((third ?? 0) - (second ?? 0)).toBeGreaterThan(180);
  });

  test('leaves the last points to the others until there are more', async () => {
    const bucket = new TokenBucket(quiet);
    const startedAtMs = Date.now();
    // 800 points in 4 s: more than the reserve for others are there after half a second.
    await bucket.spend(async () => answer(200, points(1, startedAtMs + 4000)));
    const patient = bucket.spend(async () => answer(200), 200).then(() => Date.now());
    await bucket.spend(async () => answer(200));
    expect(Date.now() - startedAtMs).toBeLessThan(400);
    expect((await patient) - startedAtMs).toBeGreaterThan(400);
  });
});

describe('A token’s bucket', () => {
  test('holds the next call when empty, until Twitch says that it is full again', async () => {
    const bucket = new TokenBucket(quiet);
    const resetMs = (Math.ceil(Date.now() / 1000) + 1) * 1000;
    await bucket.spend(async () => answer(200, points(0, resetMs)));
    const madeAtMs = await bucket.spend(async () => answer(200)).then(() => Date.now());
    expect(madeAtMs).toBeGreaterThanOrEqual(resetMs);
    expect(madeAtMs).toBeLessThan(resetMs + unsaidHoldMs);
  });

  test('repeats a refused call once it is full again', async () => {
    const bucket = new TokenBucket(quiet);
    const resetMs = (Math.ceil(Date.now() / 1000) + 1) * 1000;
    const madeAtMs: number[] = [];
    const response = await bucket.spend(async () => {
      madeAtMs.push(Date.now());
      return madeAtMs.length === 1 ? answer(429, points(0, resetMs)) : answer(200);
    });
    expect(response.status).toBe(200);
    expect(madeAtMs).toHaveLength(2);
    expect(madeAtMs[1]).toBeGreaterThanOrEqual(resetMs);
  });

  test('refuses calls at once that would wait too long, and accepts them again afterwards', async () => {
    using time = standStill();
    const bucket = new TokenBucket(quiet);
    await bucket.spend(async () => answer(200, points(0, time.nowMs + 50_000)));
    const call = vi.fn(async () => answer(200));
    await expect(bucket.spend(call)).rejects.toMatchObject({ code: 'rateLimited', retry: 'later' });
    expect(call).not.toHaveBeenCalled();
    passTime(50_000);
    await bucket.spend(call);
    expect(call).toHaveBeenCalledOnce();
  });

  test.each([9, -9])(
    'holds calls as long when the host’s clock is set by %d hours meanwhile',
    async (hours) => {
      using time = standStill();
      const bucket = new TokenBucket(quiet);
      await bucket.spend(async () => answer(200, points(0, time.nowMs + 50_000)));
      stepHostClock(hours * hour);
      passTime(29_999);
      await expect(bucket.spend(async () => answer(200))).rejects.toMatchObject({ code: 'rateLimited' });
      passTime(20_001);
      expect((await bucket.spend(async () => answer(200))).status).toBe(200);
    },
  );

  test('waits a minute at most, whatever Twitch’s clock says', async () => {
    using time = standStill();
    const bucket = new TokenBucket(quiet);
    await bucket.spend(async () => answer(200, points(0, time.nowMs + 3_600_000)));
    passTime(65_000);
    expect((await bucket.spend(async () => answer(200))).status).toBe(200);
  });

  test('passes on a 429 with another cause', async () => {
    const bucket = new TokenBucket(quiet);
    const call = vi.fn(async () => answer(429, points(700, Date.now() + 10_000)));
    expect((await bucket.spend(call)).status).toBe(429);
    expect(call).toHaveBeenCalledOnce();
    expect((await bucket.spend(async () => answer(200))).status).toBe(200);
  });

  test('allows as many calls as it has points, in order, and few at once', async () => {
    const bucket = new TokenBucket(quiet);
    await bucket.spend(async () => answer(200, points(30, Date.now() + 10_000)));
    const order: number[] = [];
    let max = 0;
    let underWay = 0;
    await Promise.all(
      Array.from({ length: 30 }, (_, index) =>
        bucket.spend(async () => {
          order.push(index);
          underWay += 1;
          max = Math.max(max, underWay);
          await new Promise((resolve) => setImmediate(resolve));
          underWay -= 1;
          return answer(200);
        }),
      ),
    );
    expect(order).toEqual(Array.from({ length: 30 }, (_, index) => index));
    expect(max).toBe(10);
  });

  test('ignores answers without rate limit headers', async () => {
    const bucket = new TokenBucket(quiet);
    const startedAtMs = Date.now();
    const calls = Array.from({ length: 20 }, () => bucket.spend(async () => answer(503)));
    expect((await Promise.all(calls)).map(({ status }) => status)).toEqual(Array(20).fill(503));
    expect(Date.now() - startedAtMs).toBeLessThan(unsaidHoldMs);
  });
});

test('The points of the application, and of the account that has fewest, are measured until they refill', async () => {
  const measured = async () => {
    const { values } = await twitchPoints.get();
    return Object.fromEntries(values.map(({ labels, value }) => [labels.token, value]));
  };
  using _time = standStill();
  // The bucket that other tests have used is full again by then.
  passTime(hour);
  const resetMs = Date.now() + 10_000;
  for (const [owner, left] of [
    ['application', 500],
    ['account', 700],
    ['account', 20],
    ['account', 600],
  ] as const)
    await new TokenBucket(quiet, owner).spend(async () => answer(200, points(left, resetMs)));
  expect(await measured()).toEqual({ application: 500, lowestAccount: 20 });
  passTime(10_000);
  expect(await measured()).toEqual({ application: 800, lowestAccount: 800 });
});

describe('Twitch’s API', () => {
  const apiOf = (stage: Stage) => {
    const oauth = twitchOAuth({ clientId, clientSecret, authUrl: stage.deps.config.twitch.authUrl });
    const grants = createGrantKeeper(linkGrants(stage.deps), oauth);
    return twitchApi(new DatabaseAuthProvider(clientId, grants, oauth), stage.deps.log, () => {});
  };

  test('spends one token’s points without holding up another’s calls', async () => {
    const stage = await setStage();
    const busy = await addTwitchPerson(stage, { streams: true });
    const calm = await addTwitchPerson(stage, { streams: true });
    const api = apiOf(stage);
    const startedAtMs = Date.now();
    // Each of them says: full again in up to two seconds.
    stage.world.faults.failNext({ answer: 429, path: '/mock/chat/chatters', times: 2 });
    const held = api.chattersOf(busy.twitchId).then(() => Date.now());
    await expect
      .poll(() => stage.world.faults.pending().requests.every(({ times = 1 }) => times < 2))
      .toBe(true);
    await api.followedAtMs(calm.twitchId, busy.twitchId);
    await api.streamsOf([busy.twitchId]);
    const othersAtMs = Date.now();
    const heldAtMs = await held;
    expect(heldAtMs - startedAtMs).toBeGreaterThanOrEqual(2000);
    expect(othersAtMs).toBeLessThan(heldAtMs);
  });

  test('continues after an answer without rate limit headers, for all waiting calls', async () => {
    const stage = await setStage();
    const streamer = await addTwitchPerson(stage, { streams: true });
    const api = apiOf(stage);
    stage.world.faults.failNext({ answer: 400, path: '/mock/chat/chatters' });
    const calls = Array.from({ length: 30 }, () => api.chattersOf(streamer.twitchId));
    const settled = await Promise.allSettled(calls);
    expect(settled.filter(({ status }) => status === 'rejected')).toHaveLength(1);
  });
});
