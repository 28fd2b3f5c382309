import { expect, test } from 'vitest';
import {
  addDays,
  addMonths,
  addMonthsToDay,
  endOfWeek,
  startOfWeek,
  weeksOf,
} from '#app/components/dates/calendar-month.ts';

test('The weeks of a month begin with Monday', () => {
  const weeks = weeksOf('2026-11');
  expect(weeks).toHaveLength(6);
  expect(weeks[0]).toEqual([null, null, null, null, null, null, '2026-11-01']);
  expect(weeks[5]).toEqual(['2026-11-30', null, null, null, null, null, null]);
  expect(weeksOf('2027-02')).toHaveLength(4);
});

test('A week reaches from Monday to Sunday', () => {
  expect([startOfWeek('2026-11-22'), endOfWeek('2026-11-16')]).toEqual(['2026-11-16', '2026-11-22']);
});

test('Days and months go on over the ends of months and years', () => {
  expect([addDays('2026-12-31', 1), addDays('2028-03-01', -1)]).toEqual(['2027-01-01', '2028-02-29']);
  expect([addMonths('2026-12', 1), addMonths('2026-01', -1)]).toEqual(['2027-01', '2025-12']);
  expect([addMonthsToDay('2026-10-31', 1), addMonthsToDay('2028-02-29', 12)]).toEqual([
    '2026-11-30',
    '2029-02-28',
  ]);
});

test('Nothing leads out of the years from 1900 to 2100', () => {
  expect([addDays('1900-01-01', -7), addDays('2100-12-31', 7)]).toEqual(['1900-01-01', '2100-12-31']);
  expect([addMonths('1900-01', -1), addMonths('2100-12', 1)]).toEqual(['1900-01', '2100-12']);
  expect([addMonthsToDay('1900-01-15', -12), addMonthsToDay('2100-12-31', 1)]).toEqual([
    '1900-01-15',
    '2100-12-31',
  ]);
});
