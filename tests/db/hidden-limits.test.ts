import { expect, test } from 'vitest';
import { hideLimits } from '#db/database.ts';
import { BetterSqlite } from '#tests/support/better-sqlite.ts';

test('A bound limit is hidden from SQLite’s planner, and still counts', () => {
  const connection = new BetterSqlite(':memory:');
  const rows = 'select value from json_each(?)';
  const numbers = connection.prepare(hideLimits(`select * from (${rows} limit ?) limit ? offset ?`)).pluck();
  expect(numbers.source).toBe(
    `select * from (${rows} limit cast(? as integer)) limit cast(? as integer) offset ?`,
  );
  expect(numbers.all('[1, 2, 3, 4, 5]', 4, 2, 1)).toEqual([2, 3]);
});
