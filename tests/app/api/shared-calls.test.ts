import { setImmediate as turn } from 'node:timers/promises';
import { RateLimiterRes } from 'rate-limiter-flexible';
import { afterEach, expect, test, vi } from 'vitest';
import { SharedCalls } from '#app/api/shared-calls.server.ts';
import { database } from '#app/services/database.server.ts';
import { attempts } from '#db/schema/access.ts';
import { hour, minute } from '#domain/kernel/time.ts';
import { setWeb } from '../support/web.ts';

await setWeb();
afterEach(() => void vi.useRealTimers());

const keyOf = (who: string) => `call:${who}`;
/** The counter of one web process. All have the same database. */
const webProcess = (open = database) =>
  new SharedCalls(open, { points: 100, windowMs: minute }, { keyOf, shareEveryMs: 5 });
const call = async (calls: SharedCalls, who: string, times: number) => {
  let admitted = 0;
  for (let time = 0; time < times; time++)
    await calls.consume(who).then(
      () => {
        admitted += 1;
      },
      (refused: unknown) => expect(refused).toBeInstanceOf(RateLimiterRes),
    );
  return admitted;
};
const storedFor = async (who: string) =>
  (await (await database()).read.select().from(attempts)).find(({ key }) => key === keyOf(who))?.count;

test('Two processes admit together what one admits alone, and each caller has a share', async () => {
  const [first, second] = [webProcess(), webProcess()];
  expect(await call(first, 'busy', 70)).toBe(70);
  await expect.poll(() => storedFor('busy')).toBe(70);
  // This process knows of the others once it has told of its own.
  expect(await call(second, 'busy', 11)).toBe(11);
  await expect.poll(() => storedFor('busy')).toBe(81);
  await expect.poll(() => call(second, 'busy', 200)).toBe(0);
  expect(await storedFor('busy')).toBeLessThanOrEqual(100 + 11);
  expect(await call(second, 'other', 100)).toBe(100);
});

test('A caller with few calls costs no write', async () => {
  const calls = webProcess();
  expect(await call(calls, 'quiet', 10)).toBe(10);
  expect(await call(calls, 'loud', 11)).toBe(11);
  await expect.poll(() => storedFor('loud')).toBe(11);
  expect(await storedFor('quiet')).toBeUndefined();
});

test('Without its database a process counts alone', async () => {
  let asked = 0;
  const calls = webProcess(() => {
    asked += 1;
    return Promise.reject(new Error('away'));
  });
  expect(await call(calls, 'alone', 60)).toBe(60);
  await expect.poll(() => asked).toBeGreaterThan(0);
  expect(await call(calls, 'alone', 60)).toBe(40);
});

/** Lets a caller call evenly for a while, by turns at several processes. Returns how many calls were refused. */
async function callEvenly(who: string, { processes, perMinute }: { processes: number; perMinute: number }) {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
  let opened = false;
  const open = () => {
    opened = true;
    return database();
  };
  const limit = { points: 600, windowMs: minute };
  const counters = Array.from({ length: processes }, () => new SharedCalls(open, limit, { keyOf }));
  let refused = 0;
  for (let made = 0; made < 2.2 * perMinute; made++) {
    refused += 1 - (await call(counters[made % processes] as SharedCalls, who, 1));
    vi.advanceTimersByTime(minute / perMinute);
    while (opened) {
      opened = false;
      await storedFor(who).then(() => turn());
    }
  }
  return refused;
}

test.each([1, 3])(
  'A caller who stays below the limit is never refused, at %i processes',
  async (processes) => {
    expect(await callEvenly(`steady at ${processes}`, { processes, perMinute: 590 })).toBe(0);
  },
);

test('A window that a clock ahead has stored holds no caller up', async () => {
  const ahead = { key: keyOf('ahead'), count: 100, endsAtMs: Date.now() + hour };
  await (await database()).transaction((tx) => tx.insert(attempts).values(ahead));
  const calls = webProcess();
  expect(await call(calls, 'ahead', 20)).toBe(20);
  await expect.poll(() => storedFor('ahead')).toBe(20);
  expect(await call(calls, 'ahead', 30)).toBe(30);
});
