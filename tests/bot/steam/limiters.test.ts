import { expect, test } from 'vitest';
import { createLimiter } from '#bot/steam/limiters.ts';

test('A burst starts at once, what follows waits its turn, and a queue that is too long is refused', async () => {
  const limiter = createLimiter({ gapMs: 40, burst: 2, longestWaitMs: 90 });
  const beganMs = Date.now();
  const turn = () => limiter.take(async () => Date.now() - beganMs);
  const turns = await Promise.all([turn(), turn(), turn(), turn(), turn()]);
  const [first, second, third, fourth, fifth] = turns.map((each) => each?.value ?? null);
  expect(first).toBeLessThan(35);
  expect(second).toBeLessThan(35);
  expect(third).toBeGreaterThanOrEqual(38);
  expect(fourth).toBeGreaterThanOrEqual(78);
  expect(fifth).toBeNull();
});

test('A failed task gives its turn up and its error on', async () => {
  const limiter = createLimiter({ gapMs: 1, burst: 1, longestWaitMs: 1000 });
  await expect(limiter.take(() => Promise.reject(new Error('demo trouble')))).rejects.toThrow('demo trouble');
  expect(await limiter.take(async () => 1)).toEqual({ value: 1 });
});
