import { expect, onTestFinished, test, vi } from 'vitest';
import { createLog } from '#bot/log.ts';
import { startWorker } from '#bot/worker.ts';
import { until } from '#tests/support/steam-stage.ts';

const log = createLog('silent');

test('Rounds never overlap, and a nudge during one is followed by another', async () => {
  let running = 0;
  let most = 0;
  let rounds = 0;
  const worker = startWorker({
    name: 'demo',
    everyMs: 60_000,
    log,
    run: async () => {
      running += 1;
      most = Math.max(most, running);
      await new Promise((resolve) => setTimeout(resolve, 10));
      running -= 1;
      rounds += 1;
    },
  });
  worker.nudge();
  worker.nudge();
  await until(() => rounds === 2, 'a second round');
  worker.nudge();
  await until(() => rounds === 3, 'a third round');
  await worker.stop();
  expect({ most, rounds }).toEqual({ most: 1, rounds: 3 });
});

test('Stopping waits for the round under way and begins no other', async () => {
  let ended = false;
  const worker = startWorker({
    name: 'demo',
    everyMs: 1,
    log,
    run: (signal) =>
      new Promise((resolve) => {
        signal.addEventListener('abort', () =>
          setTimeout(() => {
            ended = true;
            resolve();
          }, 20),
        );
      }),
  });
  await worker.stop();
  expect(ended).toBe(true);
});

test('A round that fails is followed by longer pauses', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const startedAtMs: number[] = [];
  const worker = startWorker({
    name: 'demo',
    everyMs: 20,
    log,
    run: async () => {
      startedAtMs.push(Date.now());
      throw new Error('demo trouble');
    },
  });
  await vi.advanceTimersByTimeAsync(350);
  await worker.stop();
  expect(startedAtMs).toHaveLength(4);
  const [a = 0, b = 0, c = 0, d = 0] = startedAtMs;
  expect(b - a).toBeGreaterThanOrEqual(35);
  expect(d - c).toBeGreaterThan(b - a);
});
