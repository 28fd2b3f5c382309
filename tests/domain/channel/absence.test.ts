import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  CHECKS_APART_MS,
  firstMissed,
  isAbsent,
  judgeList,
  type Shortfall,
} from '#domain/channel/absence.ts';
import { minute } from '#domain/kernel/time.ts';
import { START_MS } from '#tests/support/fixtures.ts';

test('What two looks minutes apart miss is gone; one look proves nothing, nor does a clock put back', () => {
  expect(isAbsent(null, START_MS)).toBe(false);
  expect(isAbsent(START_MS, START_MS + CHECKS_APART_MS - 1)).toBe(false);
  expect(isAbsent(START_MS, START_MS + CHECKS_APART_MS)).toBe(true);
  expect(firstMissed(null, START_MS)).toBe(START_MS);
  expect(firstMissed(START_MS, START_MS + minute)).toBe(START_MS);
  expect(firstMissed(START_MS, START_MS - minute)).toBe(START_MS - minute);
});

test.each([
  { rows: 351, total: 351, first: 'complete', next: 'complete', proves: true },
  { rows: 400, total: 351, first: 'complete', next: 'complete', proves: true },
  // Suspended accounts are counted and not listed.
  { rows: 0, total: 1, first: 'short', next: 'settled', proves: true },
  { rows: 340, total: 351, first: 'short', next: 'settled', proves: true },
  // Nobody is proven absent by a list that lacks so many.
  { rows: 100, total: 351, first: 'short', next: 'settled', proves: false },
  { rows: 1000, total: 2501, first: 'short', next: 'settled', proves: false },
])('A list of $rows of $total is $first, and $next minutes later', ({ rows, total, first, next, proves }) => {
  const before = judgeList({ rows, total }, null, START_MS);
  expect(before).toMatchObject({ is: first, proves: first === 'complete' });
  const soon = judgeList({ rows, total }, before.shortfall, START_MS + minute);
  expect(soon.is).toBe(first);
  const later = judgeList({ rows, total }, soon.shortfall, START_MS + CHECKS_APART_MS);
  expect(later).toMatchObject({ is: next, proves });
});

test('A list proves nothing by its first look unless it has nearly as many rows as its number', () => {
  fc.assert(
    fc.property(fc.nat(5000), fc.nat(5000), (rows, total) => {
      const { proves } = judgeList({ rows, total }, null, START_MS);
      expect(proves).toBe(total - rows <= Math.floor(rows / 100));
    }),
  );
});

test('A list that becomes shorter still has to stay so again', () => {
  let before: Shortfall | null = null;
  for (const [rows, atMs] of [
    [9, 0],
    [8, 2 * minute],
    [9, 3 * minute],
  ] as const) {
    const judged = judgeList({ rows, total: 10 }, before, START_MS + atMs);
    expect(judged.is).toBe('short');
    before = judged.shortfall;
  }
  expect(judgeList({ rows: 8, total: 10 }, before, START_MS + 4 * minute).is).toBe('settled');
});

test('A list that was short at a time that is ahead now is judged anew', () => {
  const ahead = { short: 1, sinceMs: START_MS + 60 * minute };
  const { is, shortfall } = judgeList({ rows: 9, total: 10 }, ahead, START_MS);
  expect([is, shortfall]).toEqual(['short', { short: 1, sinceMs: START_MS }]);
});
