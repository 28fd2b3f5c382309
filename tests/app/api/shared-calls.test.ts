import { RateLimiterRes } from 'rate-limiter-flexible';
import { expect, test } from 'vitest';
import { SharedCalls } from '#app/api/shared-calls.server.ts';
import { database } from '#app/services/database.server.ts';
import { attempts } from '#db/schema/access.ts';
import { minute } from '#domain/kernel/time.ts';
import { setWeb } from '../support/web.ts';

await setWeb();

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
