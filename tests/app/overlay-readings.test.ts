import { expect, test, vi } from 'vitest';
import { timeLeft } from '#app/overlay/pieces.ts';
import { together } from '#app/services/overlay/together.server.ts';
import { ViewerTurns } from '#app/services/overlay/viewer-turns.server.ts';
import { overlayViewers } from '#domain/budget/budgets.ts';

test.each([
  [300_000, { minutes: 5 }, 60_000],
  [299_999, { minutes: 5 }, 59_999],
  [60_001, { minutes: 2 }, 1],
  [60_000, { seconds: 60 }, 10_000],
  [59_000, { seconds: 60 }, 9_000],
  [50_000, { seconds: 50 }, 10_000],
  [1, { seconds: 10 }, 1],
])('Of %i ms that are left, %o is told, until %i ms later', (ms, left, nextMs) => {
  expect(timeLeft(ms)).toEqual({ left, nextMs });
});

test('Nothing is left at the end, and no later step comes', () => {
  for (const ms of [0, -1]) expect(timeLeft(ms)).toEqual({ left: null, nextMs: Number.POSITIVE_INFINITY });
});

/** A clock on which only readings and pauses take time. */
function simulatedTurns() {
  let nowMs = 0;
  let readMs = 0;
  const turns = new ViewerTurns({
    now: () => nowMs,
    pause: async (ms) => {
      nowMs += ms;
    },
  });
  const read: number[] = [];
  const reading = (channel: number, ms: number) => ({
    async readViewers() {
      read.push(channel);
      nowMs += ms;
      readMs += ms;
      if (channel === 3) throw new Error('the database does not answer');
    },
  });
  return { turns, read, reading, share: () => readMs / nowMs };
}

test('The viewers of two hundred channels are read in turns, which take their share of the time, however large one is', async () => {
  const { turns, read, reading, share } = simulatedTurns();
  const channels = Array.from({ length: 200 }, (_, channel) => reading(channel, channel === 7 ? 900 : 4));
  // The first one is read at once, and the others wait.
  for (const each of [reading(200, 2), ...channels, ...channels]) turns.add(each);
  await vi.waitFor(() => expect(read).toHaveLength(201));
  expect(new Set(read).size).toBe(201);
  expect(share()).toBeCloseTo(overlayViewers.shareOfTime, 3);
});

test('A channel that asks again after its turn is read again, behind the others', async () => {
  const { turns, read, reading } = simulatedTurns();
  const [first, second] = [reading(1, 5), reading(2, 9)];
  turns.add(first);
  turns.add(second);
  turns.add(first);
  await vi.waitFor(() => expect(read).toEqual([1, 2, 1]));
});

test('What comes together is done together and once, and again after a failure', async () => {
  vi.useFakeTimers();
  const done: string[][] = [];
  let fails = true;
  const add = together<string>(20, async (all) => {
    if (fails) throw new Error('the database does not answer');
    done.push([...all]);
  });
  for (const one of ['a', 'b', 'a']) add(one);
  await vi.advanceTimersByTimeAsync(20);
  fails = false;
  add('c');
  await vi.advanceTimersByTimeAsync(1_000);
  expect(done).toEqual([['a', 'b', 'c']]);
  await vi.advanceTimersByTimeAsync(5_000);
  expect(done).toHaveLength(1);
  vi.useRealTimers();
});
