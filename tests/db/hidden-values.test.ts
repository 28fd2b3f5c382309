import { expect, test } from 'vitest';
import { hideValues } from '#db/database.ts';
import { BetterSqlite } from '#tests/support/better-sqlite.ts';

test('A bound value is hidden from SQLite’s planner, and still counts', () => {
  const connection = new BetterSqlite(':memory:');
  connection.exec(`create table "seats" ("id" integer primary key, "name" text not null) strict;
    insert into "seats" values (1, 'a'), (2, 'b'), (3, 'c'), (4, 'd'), (5, 'e'), (10, 'f')`);
  const from = 'select "id" from "seats" where';
  const found = (sql: string, ...values: unknown[]) => {
    const statement = connection.prepare(hideValues(sql));
    expect(statement.source).not.toMatch(/[^+]\?/);
    return statement.pluck().all(...values);
  };
  expect(found(`${from} "id" = ?`, 2)).toEqual([2]);
  expect(found(`${from} "id" <> ? and "id" <= ?`, 2, 4)).toEqual([1, 3, 4]);
  expect(found(`${from} "id" > ? and "id" < ?`, 2, 10)).toEqual([3, 4, 5]);
  // What is compared with a column is converted to its type as before.
  expect(found(`${from} "id" >= ?`, '5')).toEqual([5, 10]);
  expect(found(`${from} "name" like ? limit ? offset ?`, '%', 2, 3)).toEqual([4, 5]);
});

test('What is no comparison stays as it is', () => {
  const source =
    'insert into "seats" values (?, cast(? as text)) on conflict do update set "name" = "name" || ?';
  expect(hideValues(source)).toBe(source);
});
