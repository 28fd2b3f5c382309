import fc from 'fast-check';
import { expect, test } from 'vitest';
import { day } from '#domain/kernel/time.ts';
import { usageMonth } from '#domain/plan/usage-month.ts';

const at = (text: string) => Date.parse(text);

test.each([
  ['the anchor itself', '2026-01-31T10:30:00Z', '2026-01-31T10:30:00Z', '2026-02-28T10:30:00Z'],
  ['a shorter month', '2026-03-01T00:00:00Z', '2026-02-28T10:30:00Z', '2026-03-31T10:30:00Z'],
  ['the moment before', '2026-02-28T10:29:59Z', '2026-01-31T10:30:00Z', '2026-02-28T10:30:00Z'],
  ['a leap year', '2028-02-29T11:00:00Z', '2028-02-29T10:30:00Z', '2028-03-31T10:30:00Z'],
  ['before the anchor', '2025-12-01T00:00:00Z', '2025-11-30T10:30:00Z', '2025-12-31T10:30:00Z'],
])('A month begins on the anchor’s day: %s', (_, now, starts, resets) => {
  const month = usageMonth(at(now), at('2026-01-31T10:30:00Z'));
  expect(month).toEqual({ startsAtMs: at(starts), resetsAtMs: at(resets) });
});

test('Months follow each other without a gap, whatever the anchor', () => {
  const moment = fc.integer({ min: Date.UTC(2020, 0, 1), max: Date.UTC(2040, 0, 1) });
  fc.assert(
    fc.property(moment, moment, (nowMs, anchorMs) => {
      const month = usageMonth(nowMs, anchorMs);
      expect(month.startsAtMs).toBeLessThanOrEqual(nowMs);
      expect(month.resetsAtMs).toBeGreaterThan(nowMs);
      expect(month.resetsAtMs - month.startsAtMs).toBeGreaterThanOrEqual(28 * day);
      expect(month.resetsAtMs - month.startsAtMs).toBeLessThanOrEqual(31 * day);
      expect(usageMonth(month.resetsAtMs, anchorMs).startsAtMs).toBe(month.resetsAtMs);
      expect(usageMonth(month.startsAtMs, anchorMs)).toEqual(month);
    }),
  );
});

test('Without an anchor it is the calendar month in UTC', () => {
  expect(usageMonth(at('2026-02-28T23:59:59Z'))).toEqual({
    startsAtMs: at('2026-02-01T00:00:00Z'),
    resetsAtMs: at('2026-03-01T00:00:00Z'),
  });
});
