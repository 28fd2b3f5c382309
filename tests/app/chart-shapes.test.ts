import fc from 'fast-check';
import { expect, test } from 'vitest';
import { barsOf, lineOf } from '#app/routes/dashboard/chart-shapes.server.ts';

test('Bars start at zero, and their scale ends at a round number above all of them', () => {
  expect(barsOf([0, 50, 100], { whole: true })).toEqual({
    kind: 'bars',
    path: 'M38.67 100v-50h22.67V100z',
    accent: 'M72 100v-100h22.67V100z',
    scale: [100, 50, 0],
  });
});

test('Days on which nothing was counted have no bars', () => {
  expect(barsOf([0, 0], { whole: true })).toBeNull();
  expect(barsOf([0, 1], { whole: true })).not.toBeNull();
});

test('The labels of a few minutes in hours differ, and are right in their one digit', () => {
  expect(barsOf([0, 2 / 60], { whole: false })).toMatchObject({
    accent: 'M58 100v-16.67h34V100z',
    scale: [0.2, 0.1, 0],
  });
  expect(barsOf([0.5], { whole: false })?.scale).toEqual([0.6, 0.3, 0]);
  expect(barsOf([5], { whole: false })?.scale).toEqual([5, 2.5, 0]);
  expect(barsOf([0.2], { whole: false })?.scale).toEqual([0.2, 0.1, 0]);
});

test('A line passes over unknown days, and nothing known draws nothing', () => {
  expect(lineOf([null, null])).toBeNull();
  expect(lineOf([10, null, 12])).toMatchObject({ path: 'M0 100L100 0', scale: [12, 11, 10] });
  expect(lineOf([null, 4])).toMatchObject({ path: 'M100 100h0' });
});

test('Whatever the values, a line and its bars stay within the chart', () => {
  const values = fc.array(fc.integer({ min: 0, max: 2_000_000 }), { minLength: 1, maxLength: 90 });
  fc.assert(
    fc.property(values, (numbers) => {
      const [top, middle, bottom] = lineOf(numbers)?.scale ?? [0, 0, 0];
      expect(top).toBeGreaterThanOrEqual(Math.max(...numbers));
      expect(bottom).toBeLessThanOrEqual(Math.min(...numbers));
      expect(top - middle).toBeCloseTo(middle - bottom);
      expect(barsOf(numbers, { whole: true })?.scale[0] ?? 0).toBeGreaterThanOrEqual(Math.max(...numbers));
    }),
  );
});
