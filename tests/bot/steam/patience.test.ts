import { beforeEach, expect, test, vi } from 'vitest';
import { Patience } from '#bot/steam/transfers/patience.ts';
import { holdTime, passTime } from '#tests/support/passing-time.ts';

beforeEach(() => {
  holdTime();
  return () => vi.useRealTimers();
});

test('The first question begins a wait, and each thing has its own', () => {
  const patience = new Patience();
  expect(patience.isOver('one', 100)).toBe(false);
  passTime(99);
  expect(patience.isOver('one', 100)).toBe(false);
  expect(patience.isOver('other', 100)).toBe(false);
  passTime(1);
  expect(patience.isOver('one', 100)).toBe(true);
  expect(patience.isOver('other', 100)).toBe(false);
  patience.end('one');
  expect(patience.isOver('one', 100)).toBe(false);
  expect(patience.isOver('at once', 0)).toBe(true);
});

test('Pauses double up to the longest, and start over after the end', () => {
  const patience = new Patience();
  expect(patience.isPaused('one')).toBe(false);
  for (const lengthMs of [30, 60, 100, 100]) {
    patience.pause('one', { firstMs: 30, longestMs: 100 });
    expect(patience.isPaused('other')).toBe(false);
    passTime(lengthMs - 1);
    expect(patience.isPaused('one')).toBe(true);
    passTime(1);
    expect(patience.isPaused('one')).toBe(false);
  }
  patience.pause('one', { firstMs: 30, longestMs: 100 });
  patience.end('one');
  expect(patience.isPaused('one')).toBe(false);
  patience.pause('one', { firstMs: 30, longestMs: 100 });
  passTime(30);
  expect(patience.isPaused('one')).toBe(false);
});
