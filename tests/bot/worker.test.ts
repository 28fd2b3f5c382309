import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { watchChanges } from '#bot/changes.ts';
import { createLog } from '#bot/log.ts';
import { type NextDue, soonest, startWorker } from '#bot/worker.ts';
import { until } from '#tests/support/steam-stage.ts';

const log = createLog('silent');

test('Rounds never overlap, and a nudge during one is followed by another', async () => {
  let running = 0;
  let max = 0;
  let rounds = 0;
  const worker = startWorker({
    name: 'demo',
    everyMs: 60_000,
    log,
    run: async () => {
      running += 1;
      max = Math.max(max, running);
      await new Promise((resolve) => setTimeout(resolve, 10));
      running -= 1;
      rounds += 1;
      return null;
    },
  });
  worker.nudge();
  worker.nudge();
  await until(() => rounds === 2, 'a second round');
  worker.nudge();
  await until(() => rounds === 3, 'a third round');
  await worker.stop();
  expect({ max, rounds }).toEqual({ max: 1, rounds: 3 });
});

test('Stopping waits for the running round and starts no other', async () => {
  let ended = false;
  const worker = startWorker({
    name: 'demo',
    everyMs: 1,
    log,
    run: (signal) =>
      new Promise<null>((resolve) => {
        signal.addEventListener('abort', () =>
          setTimeout(() => {
            ended = true;
            resolve(null);
          }, 20),
        );
      }),
  });
  await worker.stop();
  expect(ended).toBe(true);
});

test('A failed round is followed by longer pauses', async () => {
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

test('A worker without which others cannot go on never pauses for longer than it may', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const startedAtMs: number[] = [];
  const worker = startWorker({
    name: 'demo',
    everyMs: 20,
    longestPauseMs: 40,
    log,
    run: async () => {
      startedAtMs.push(Date.now());
      throw new Error('demo trouble');
    },
  });
  await vi.advanceTimersByTimeAsync(400);
  await worker.stop();
  const pausesMs = startedAtMs.slice(1).map((atMs, place) => atMs - (startedAtMs[place] ?? 0));
  expect(pausesMs.length).toBeGreaterThan(6);
  expect(Math.max(...pausesMs)).toBeLessThanOrEqual(45);
});

/** Changes triggered by a test. */
function changesByHand() {
  const listeners = new Set<() => void>();
  return {
    listen(changed: () => void) {
      listeners.add(changed);
      return () => listeners.delete(changed);
    },
    stop: () => {},
    happen: () => {
      for (const changed of listeners) changed();
    },
    count: () => listeners.size,
  };
}

describe('A worker with nothing to do', () => {
  const everyMs = 1000;
  let startedAtMs: number[];
  beforeEach(() => {
    vi.useFakeTimers({ now: 0 });
    startedAtMs = [];
  });

  const start = (changes: ReturnType<typeof changesByHand>, due: () => NextDue | Promise<NextDue>) => {
    const worker = startWorker({
      name: 'demo',
      everyMs,
      changes,
      log,
      run: async () => {
        startedAtMs.push(Date.now());
        return due();
      },
    });
    onTestFinished(async () => {
      await worker.stop();
      vi.useRealTimers();
    });
    return worker;
  };

  test('sleeps until the next due time, and not less', async () => {
    const dues: NextDue[] = [7000, null];
    start(changesByHand(), () => dues.shift() ?? null);
    await vi.advanceTimersByTimeAsync(6999);
    expect(startedAtMs).toEqual([0]);
    await vi.advanceTimersByTimeAsync(everyMs / 10 + 1);
    expect(startedAtMs).toHaveLength(2);
  });

  test('runs when something is due, also if a change came while it ran', async () => {
    const changes = changesByHand();
    const dues: NextDue[] = [300, null];
    start(changes, () => {
      if (dues.length === 2) changes.happen();
      return dues.shift() ?? null;
    });
    await vi.advanceTimersByTimeAsync(299);
    expect(startedAtMs).toEqual([0]);
    await vi.advanceTimersByTimeAsync(everyMs / 10 + 2);
    expect(startedAtMs).toHaveLength(2);
  });

  test('runs about once a minute, in case a change went unnoticed', async () => {
    start(changesByHand(), () => null);
    await vi.advanceTimersByTimeAsync(50_000);
    expect(startedAtMs).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(20_000);
    expect(startedAtMs).toHaveLength(2);
  });

  test('runs at once after a change, and at its usual interval when changes continue', async () => {
    const changes = changesByHand();
    start(changes, () => null);
    await vi.advanceTimersByTimeAsync(5000);
    changes.happen();
    await vi.advanceTimersByTimeAsync(0);
    expect(startedAtMs).toEqual([0, 5000]);
    for (let passed = 0; passed < 10; passed++) {
      changes.happen();
      await vi.advanceTimersByTimeAsync(100);
    }
    await vi.advanceTimersByTimeAsync(0);
    expect(startedAtMs).toEqual([0, 5000, 6000]);
  });

  test('runs once at its usual interval after `soon`, however often it is called', async () => {
    const worker = start(changesByHand(), () => null);
    await vi.advanceTimersByTimeAsync(everyMs / 2);
    for (let asked = 0; asked < 10; asked++) worker.soon();
    await vi.advanceTimersByTimeAsync(everyMs / 2 - 1);
    expect(startedAtMs).toEqual([0]);
    await vi.advanceTimersByTimeAsync(10 * everyMs);
    expect(startedAtMs).toEqual([0, everyMs]);
  });

  test('runs again for a change during its round', async () => {
    const changes = changesByHand();
    const dues = [() => changes.happen()];
    start(changes, () => {
      dues.shift()?.();
      return null;
    });
    await vi.advanceTimersByTimeAsync(everyMs * 0.8);
    expect(startedAtMs).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(everyMs * 0.4);
    expect(startedAtMs).toHaveLength(2);
  });

  test('runs at its usual interval while some work is waiting', async () => {
    start(changesByHand(), () => 0);
    await vi.advanceTimersByTimeAsync(10 * everyMs);
    expect(startedAtMs.length).toBeGreaterThanOrEqual(9);
    expect(startedAtMs.length).toBeLessThanOrEqual(12);
  });

  test('keeps waiting after a failure, whatever changes, until it is nudged', async () => {
    const changes = changesByHand();
    const worker = start(changes, () => Promise.reject(new Error('demo trouble')));
    await vi.advanceTimersByTimeAsync(10);
    changes.happen();
    await vi.advanceTimersByTimeAsync(everyMs * 1.7);
    expect(startedAtMs).toHaveLength(1);
    worker.nudge();
    await vi.advanceTimersByTimeAsync(0);
    expect(startedAtMs).toHaveLength(2);
  });

  test('ignores changes once it is stopped', async () => {
    const changes = changesByHand();
    const worker = start(changes, () => null);
    await vi.advanceTimersByTimeAsync(1);
    await worker.stop();
    expect(changes.count()).toBe(0);
    await vi.advanceTimersByTimeAsync(120_000);
    expect(startedAtMs).toEqual([0]);
  });
});

describe('Changes', () => {
  const checkMs = 500;
  const restMs = 1_000;
  let revision: string;
  let looks: number;
  let fails: boolean;
  let leaptMs: number;
  let received: number;
  beforeEach(() => {
    vi.useFakeTimers({ now: 0 });
    [revision, fails, leaptMs, received, looks] = ['1', false, 0, 0, 0];
    const db = {
      revision: async () => {
        looks += 1;
        if (fails) throw new Error('demo trouble');
        return revision;
      },
    } as Parameters<typeof watchChanges>[0]['db'];
    const clock = { now: () => Date.now() + leaptMs, stop: () => {} };
    const changes = watchChanges({ db, clock, log }, { pollMs: checkMs, restMs, restAfterMs: 3_000 });
    changes.listen(() => {
      received += 1;
    });
    onTestFinished(() => {
      changes.stop();
      vi.useRealTimers();
    });
  });
  const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);

  test('are reported after a commit, and not without one', async () => {
    await pass(checkMs);
    // Commits before the first poll and after the workers' first rounds are not missed.
    expect(received).toBe(1);
    await pass(20 * checkMs);
    expect(received).toBe(1);
    revision = '2';
    await pass(restMs);
    expect(received).toBe(2);
  });

  test('are looked for half as often once nothing has changed for a while', async () => {
    await pass(3_000);
    expect(looks).toBe(6);
    await pass(10_000);
    const restingLooks = looks;
    await pass(60_000);
    expect(looks - restingLooks).toBe(60);
    revision = '2';
    await pass(restMs);
    const restedLooks = looks;
    await pass(2_000);
    expect(looks - restedLooks).toBe(4);
  });

  test('are reported after a leap of the clock, and not because time passes', async () => {
    await pass(checkMs);
    leaptMs = 86_400_000;
    await pass(checkMs);
    expect(received).toBe(2);
    await pass(20 * checkMs);
    expect(received).toBe(2);
  });

  test('during a database outage are reported afterwards', async () => {
    await pass(checkMs);
    fails = true;
    revision = '2';
    await pass(5 * checkMs);
    expect(received).toBe(1);
    fails = false;
    await pass(checkMs);
    expect(received).toBe(2);
  });
});

test('The soonest due time is the smallest, and null counts for nothing', () => {
  expect(soonest()).toBeNull();
  expect(soonest(null, 5, null, -2)).toBe(-2);
  expect(soonest(null, null)).toBeNull();
});
