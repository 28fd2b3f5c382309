import { expect, test } from 'vitest';
import { copyOfAged } from '#tests/benchmarks/seed-history.ts';
import {
  growingNames,
  indexesOfThePresent,
  judge,
  type Meant,
  type Read,
  unseenModules,
} from '#tests/plans/reads.ts';
import { BetterSqlite } from '#tests/support/better-sqlite.ts';
import { savedStatements } from '#tests/support/statements.ts';

/** Intended reads of a whole table, each with its reason. */
const meant: Meant = {
  'domain/outbox/read-events.ts events': 'the newest id alone: the last entry of the key, and no more',
  'domain/custody/list-concerns.ts custody_drifts':
    'what an operator has not resolved yet; a sound store has none',
};

/** Modules whose queries no database test runs, each with its reason. */
const unseen: Meant = {
  'domain/item/unassigned.ts': 'a condition in the statements of others',
  'domain/transfer/latest-claim.ts': 'a part of the statements of others',
};

const statements = savedStatements('sqlite');

test('This run’s tests executed every module that builds queries', () => {
  const reported = 'run it together with the tests that prepare statements: npm run test:unit';
  expect(unseenModules(statements), reported).toEqual(Object.keys(unseen));
});

/** Steps of SQLite's plans that read all rows of a growing table, or of an index that includes the past. */
function wholeReads(connection: BetterSqlite.Database): Read[] {
  const indexes = connection.prepare(
    "select name, sql from sqlite_master where type = 'index' and sql is not null",
  );
  const ofThePresent = indexesOfThePresent(indexes.all() as { name: string; sql: string }[]);
  const reads: Read[] = [];
  for (const { module, sql, params } of statements) {
    const names = growingNames(sql);
    const plan = connection.prepare(`explain query plan ${sql}`).all(...params) as { detail: string }[];
    for (const { detail } of plan) {
      const [, name = '', index = ''] = /^SCAN (\w+)(?: USING (?:COVERING )?INDEX (\w+))?/.exec(detail) ?? [];
      // An automatic index contains every row, and a column's minimum without an index is searched in every row.
      const [, made = ''] = /^SEARCH (\w+)(?: USING AUTOMATIC.*)?$/.exec(detail) ?? [];
      const table = names.get(name || made);
      if (table && !ofThePresent.has(index)) reads.push({ module, table, step: detail, sql });
    }
  }
  return reads;
}

/** The product keeps no table statistics, so plans do not depend on the number of rows. */
test('No statement reads a growing table whole', async () => {
  const { file } = await copyOfAged(10_000);
  const connection = new BetterSqlite(file);
  const found = judge(wholeReads(connection), meant);
  connection.close();
  expect(found).toEqual({ unmeant: [], idle: [] });
});
