import { beforeEach, expect, test, vi } from 'vitest';
import { createLimiter, VISITORS_PAUSE_MS } from '#bot/steam/limiters.ts';
import { hour } from '#domain/kernel/time.ts';
import { stepHostClock } from '#tests/support/passing-time.ts';

beforeEach(() => {
  vi.useFakeTimers();
  return () => vi.useRealTimers();
});

/** A limiter whose started tasks are noted, each with the time. */
function noting(...limits: Parameters<typeof createLimiter>) {
  const limiter = createLimiter(...limits);
  const beganMs = Date.now();
  const started: [string, number][] = [];
  const refused: string[] = [];
  const ask = (name: string, visitor?: { account: string; maxWaitMs: number }) => {
    const task = async () => void started.push([name, Date.now() - beganMs]);
    void limiter.take(task, visitor).then((taken) => taken ?? refused.push(name));
  };
  const visit = (account: string, maxWaitMs = 60_000) => ask(account, { account, maxWaitMs });
  return { limiter, started, refused, ask, visit };
}

test('A burst starts at once, further tasks wait their turn, and a queue that is too long is refused', async () => {
  const { started, refused, ask } = noting({ gapMs: 40, burst: 2, maxWaitMs: 80 });
  for (const name of ['one', 'two', 'three', 'four', 'five']) ask(name);
  await vi.advanceTimersByTimeAsync(0);
  expect([started, refused]).toEqual([
    [
      ['one', 0],
      ['two', 0],
    ],
    ['five'],
  ]);
  await vi.advanceTimersByTimeAsync(200);
  expect(started.slice(2)).toEqual([
    ['three', 40],
    ['four', 80],
  ]);
});

test('A failed task gives its turn up and passes on its error', async () => {
  const limiter = createLimiter({ gapMs: 1, burst: 1, maxWaitMs: 1000 });
  await expect(limiter.take(() => Promise.reject(new Error('demo trouble')))).rejects.toThrow('demo trouble');
  const next = limiter.take(async () => 1);
  await vi.advanceTimersByTimeAsync(1);
  expect(await next).toEqual({ value: 1 });
});

test('Custody overtakes a full queue of visitors, and the turn that they leave to it is free at once', async () => {
  const { started, ask, visit } = noting({ gapMs: 1000, burst: 3, maxWaitMs: 5000, reserve: 1 });
  for (let nth = 0; nth < 20; nth++) visit('greedy');
  ask('custody');
  ask('custody again');
  await vi.advanceTimersByTimeAsync(2000);
  expect(started).toEqual([
    ['greedy', 0],
    ['greedy', 0],
    ['custody', 0],
    ['custody again', 1000],
  ]);
});

test('Accounts take turns: whoever comes after one that asks for much is next', async () => {
  const { started, visit } = noting({ gapMs: 1000, burst: 1, maxWaitMs: 5000 });
  for (let nth = 0; nth < 12; nth++) visit('greedy');
  visit('patient');
  visit('other');
  await vi.advanceTimersByTimeAsync(4000);
  expect(started).toEqual([
    ['greedy', 0],
    ['greedy', 1000],
    ['patient', 2000],
    ['other', 3000],
    ['greedy', 4000],
  ]);
});

test('A visitor waits no longer than agreed, and the place in the queue is free again', async () => {
  const { started, refused, visit } = noting({ gapMs: 3000, burst: 1, maxWaitMs: 5000 });
  visit('first');
  visit('hurried', 2000);
  visit('patient', 4000);
  await vi.advanceTimersByTimeAsync(2000);
  expect(refused).toEqual(['hurried']);
  await vi.advanceTimersByTimeAsync(4000);
  expect([started, refused]).toEqual([
    [
      ['first', 0],
      ['patient', 3000],
    ],
    ['hurried'],
  ]);
});

test('While the service is asked too often visitors are refused at once, and custody goes on', async () => {
  const { limiter, started, refused, ask, visit } = noting({ gapMs: 1000, burst: 1, maxWaitMs: 5000 });
  visit('first');
  visit('waiting');
  limiter.refuseVisitors();
  visit('later');
  ask('custody');
  await vi.advanceTimersByTimeAsync(1000);
  expect([started, refused]).toEqual([
    [
      ['first', 0],
      ['custody', 1000],
    ],
    ['waiting', 'later'],
  ]);
  await vi.advanceTimersByTimeAsync(VISITORS_PAUSE_MS);
  visit('back');
  await vi.advanceTimersByTimeAsync(0);
  expect(started.at(-1)?.[0]).toBe('back');
});

test('At a stop whatever waits is refused at once, and nothing is started any more', async () => {
  const stopping = new AbortController();
  const { started, refused, ask, visit } = noting(
    { gapMs: 1000, burst: 1, maxWaitMs: 5000 },
    stopping.signal,
  );
  ask('first');
  ask('custody');
  visit('visitor');
  stopping.abort();
  ask('custody later');
  visit('later');
  await vi.advanceTimersByTimeAsync(0);
  expect(refused.sort()).toEqual(['custody', 'custody later', 'later', 'visitor']);
  await vi.advanceTimersByTimeAsync(5000);
  expect(started).toEqual([['first', 0]]);
});

test.each([9, -9])(
  'A clock that is set by %d hours refuses nobody, and neither ends nor prolongs a wait',
  async (hours) => {
    const { started, visit } = noting({ gapMs: 1000, burst: 1, maxWaitMs: 5000 });
    visit('first');
    visit('second');
    await vi.advanceTimersByTimeAsync(0);
    stepHostClock(hours * hour);
    visit('third');
    await vi.advanceTimersByTimeAsync(999);
    expect(started.map(([name]) => name)).toEqual(['first']);
    await vi.advanceTimersByTimeAsync(1);
    expect(started.map(([name]) => name)).toEqual(['first', 'second']);
    await vi.advanceTimersByTimeAsync(1000);
    expect(started.map(([name]) => name)).toEqual(['first', 'second', 'third']);
  },
);
