import { expect, test } from 'vitest';
import { createLimiter } from '#bot/steam/limiters.ts';

test('A burst starts at once, further tasks wait their turn, and a queue that is too long is refused', async () => {
  // With a fixed clock, all tasks arrive at the same time.
  const limiter = createLimiter({ gapMs: 40, burst: 2, maxWaitMs: 80 }, () => 0);
  const beganMs = performance.now();
  const started: number[] = [];
  const turns = [1, 2, 3, 4, 5].map((number) =>
    limiter.take(async () => {
      started.push(number);
      return performance.now() - beganMs;
    }),
  );
  expect(started).toEqual([1, 2]);
  const [, , third, fourth, fifth] = (await Promise.all(turns)).map((each) => each?.value ?? null);
  expect(started).toEqual([1, 2, 3, 4]);
  expect(third).toBeGreaterThanOrEqual(38);
  expect(fourth).toBeGreaterThanOrEqual(78);
  expect(fifth).toBeNull();
});

test('A failed task gives its turn up and passes on its error', async () => {
  const limiter = createLimiter({ gapMs: 1, burst: 1, maxWaitMs: 1000 });
  await expect(limiter.take(() => Promise.reject(new Error('demo trouble')))).rejects.toThrow('demo trouble');
  expect(await limiter.take(async () => 1)).toEqual({ value: 1 });
});
