import { expect, test } from 'vitest';
import { decodeCursor, encodeCursor, pageOf } from '#domain/kernel/page.ts';

const cursorOf = (row: number) => [row];

test('A page has a cursor only if there are more rows, and it points past the last row shown', () => {
  const { rows, next } = pageOf([7, 8, 9], 2, cursorOf);
  expect(rows).toEqual([7, 8]);
  expect(decodeCursor(next, ['number'])).toEqual([8]);
  expect(pageOf([7, 8], 2, cursorOf)).toEqual({ rows: [7, 8], next: null });
  expect(pageOf([], 2, cursorOf)).toEqual({ rows: [], next: null });
});

test('An invalid cursor is ignored', () => {
  expect(decodeCursor(encodeCursor(['a', 1]), ['text', 'number'])).toEqual(['a', 1]);
  const foreign = [
    null,
    undefined,
    '',
    'nonsense',
    encodeCursor(['a']),
    encodeCursor(['a', 1, 2]),
    encodeCursor([1, 'a']),
    encodeCursor(['a', 1.5]),
    encodeCursor(['a\0', 1]),
    encodeCursor(['a'.repeat(1000), 1]),
    Buffer.from('{"length":2}').toString('base64url'),
  ];
  for (const cursor of foreign) expect(decodeCursor(cursor, ['text', 'number']), String(cursor)).toBeNull();
});
