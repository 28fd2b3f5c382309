import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { openSqlite } from '#db/database.ts';
import { hideValues } from '#db/engine/cache-statements.ts';
import { BetterSqlite } from '#tests/support/better-sqlite.ts';
import { makeSqliteFile } from '#tests/support/database.ts';

test('What a statement of a store is compared with does not decide its plan', async () => {
  const { file } = await makeSqliteFile();
  const connection = new BetterSqlite(file);
  connection.exec(`create table "seats" ("id" integer primary key, "row" text, "state" text) strict;
    create index "seats_free" on "seats" ("row") where "state" = 'free'`);
  const found = 'select "id" from "seats" where "row" is not null and "state" =';
  const plan = connection.prepare(`explain query plan ${found} ?`);
  expect(plan.all('free')).toMatchObject([
    { detail: 'SEARCH seats USING COVERING INDEX seats_free (row>?)' },
  ]);
  connection.close();

  const db = await openSqlite(file);
  const store = db.read as unknown as { all(query: unknown): unknown[] };
  const planned = store.all(sql`explain query plan ${sql.raw(found)} ${'free'}`);
  expect(planned).toMatchObject([{ detail: 'SCAN seats' }]);
  await db.close();
});

test('A hidden value counts as before', () => {
  const connection = new BetterSqlite(':memory:');
  connection.exec(`create table "seats" ("id" integer primary key, "row" text not null) strict;
    insert into "seats" values (1, 'a'), (2, 'b'), (3, 'c'), (4, 'd'), (5, 'e'), (10, 'f')`);
  const from = 'select "id" from "seats" where';
  const found = (query: string, ...values: unknown[]) => {
    const statement = connection.prepare(hideValues(query));
    expect(statement.source).not.toMatch(/[^+]\?/);
    return statement.pluck().all(...values);
  };
  expect(found(`${from} "id" = ?`, 2)).toEqual([2]);
  expect(found(`${from} "id" <> ? and "id" <= ?`, 2, 4)).toEqual([1, 3, 4]);
  expect(found(`${from} "id" > ? and "id" < ?`, 2, 10)).toEqual([3, 4, 5]);
  // It is converted to the column's type.
  expect(found(`${from} "id" >= ?`, '5')).toEqual([5, 10]);
  expect(found(`${from} "row" like ? limit ? offset ?`, '%', 2, 3)).toEqual([4, 5]);
});

test('What is not compared stays as it is', () => {
  const source =
    'insert into "seats" values (?, cast(? as text)) on conflict do update set "row" = "row" || ?';
  expect(hideValues(source)).toBe(source);
});
