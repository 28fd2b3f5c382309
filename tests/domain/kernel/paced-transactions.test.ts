import { expect, test } from 'vitest';
import { nextSize } from '#domain/kernel/paced-transactions.ts';

test.each([
  ['grows while transactions are short', { size: 200, heldMs: 10, max: 1000 }, 400],
  ['does not exceed its limit', { size: 800, heldMs: 10, max: 1000 }, 1000],
  ['stays the same at the intended duration', { size: 500, heldMs: 50, max: 1000 }, 500],
  ['shrinks to what fits on a slow machine', { size: 500, heldMs: 500, max: 1000 }, 50],
  ['never falls below a few rows, however slow they are', { size: 20, heldMs: 60_000, max: 1000 }, 10],
  ['grows when the clock stands still', { size: 10, heldMs: 0, max: 1000 }, 20],
])('The size of a transaction %s', (_, { size, heldMs, max }, next) => {
  expect(nextSize(size, heldMs, max)).toBe(next);
});

test('A transaction whose rows are cheap keeps its least size while commits are slow', () => {
  expect(nextSize(500, 2000, 2000, 200)).toBe(200);
  expect(nextSize(200, 2000, 2000, 200)).toBe(200);
});
