// A quick statement returns what drizzle returns: on SQLite and on a PostgreSQL server, and on PGlite through drizzle.
import { asc, eq, inArray, isNull, type SQL, sql } from 'drizzle-orm';
import { describe, expect, test } from 'vitest';
import type { Tx } from '#db/database.ts';
import { alias, bool, int, isPostgres, json, listOf, oneOf, table, text } from '#db/dialect.ts';
import { quickStatement } from '#db/engine/quick-statement.ts';
import { openTestDatabase } from '#tests/support/database.ts';
import { serverUrl } from '#tests/support/postgres-server.ts';

const samples = table('quick_samples', {
  id: text('id').primaryKey(),
  note: text('note'),
  flag: bool('flag').notNull().default(true),
  maybe: bool('maybe'),
  facts: json('facts').$type<unknown>(),
  atMs: int('at_ms'),
  kind: oneOf('kind', ['plain', 'rich']).notNull().default('plain'),
  otherId: text('other_id'),
});
const others = alias(samples, 'others');
type Sample = typeof samples.$inferSelect;

const rows: Sample[] = [
  {
    id: 'a',
    note: 'with ‘quotes’, \\ and ☂',
    flag: true,
    maybe: null,
    facts: { list: [1, 'two', null, { deep: true }], text: 'ё' },
    atMs: Date.UTC(2026, 0, 5, 12),
    kind: 'rich',
    otherId: 'b',
  },
  {
    id: 'b',
    note: '',
    flag: false,
    maybe: false,
    facts: ['{}'],
    atMs: Number.MAX_SAFE_INTEGER,
    kind: 'plain',
    otherId: null,
  },
  {
    id: 'c',
    note: null,
    flag: false,
    maybe: true,
    facts: null,
    atMs: Number.MIN_SAFE_INTEGER,
    kind: 'plain',
    otherId: 'nobody',
  },
  { id: 'd', note: '0', flag: true, maybe: null, facts: {}, atMs: 0, kind: 'plain', otherId: 'a' },
  { id: 'e', note: 'null', flag: true, maybe: null, facts: [], atMs: null, kind: 'rich', otherId: null },
];

type Values = Record<string, unknown>;
interface Prepared {
  execute(values: Values): Promise<unknown>;
}
interface Query {
  prepare(name: string): unknown;
}

let statements = 0;
const prepared = (query: Query) => query.prepare(`quick_${++statements}`) as Prepared;

const execute = async (tx: Tx, query: SQL): Promise<unknown> => {
  const session = tx as unknown as { execute(query: SQL): unknown; run(query: SQL): unknown };
  return isPostgres ? session.execute(query) : session.run(query);
};

/** drizzle drives PGlite in another way than a server. */
const isQuick = !isPostgres || serverUrl !== undefined;

describe(isQuick ? 'A quick statement' : 'Where there is no quick statement, drizzle’s own', () => {
  /** Runs work in a transaction with a sample table, and leaves nothing behind. */
  async function withSamples(work: (tx: Tx) => Promise<void>, given: readonly Sample[] = rows) {
    const db = await openTestDatabase();
    const ended = db.transaction(async (tx) => {
      const [boolType, jsonType] = isPostgres ? ['boolean', 'jsonb'] : ['integer', 'text'];
      await execute(
        tx,
        sql`create temporary table quick_samples (id text primary key, note text, flag ${sql.raw(boolType)} not null
          default true, maybe ${sql.raw(boolType)}, facts ${sql.raw(jsonType)}, at_ms bigint, kind text not null
          default 'plain', other_id text)`,
      );
      if (given.length > 0) await tx.insert(samples).values([...given]);
      await work(tx);
      throw new Error('rolled back on purpose');
    });
    await expect(ended).rejects.toThrow('rolled back on purpose');
    await db.close();
  }

  const quickOf = (query: Query) => {
    const statement = prepared(query);
    const quick = quickStatement(statement);
    expect(quick !== null).toBe(isQuick);
    return quick ?? ((values: Values) => statement.execute(values));
  };

  /** Both ways return the same for each set of values. */
  async function expectSame(query: Query, ...calls: Values[]): Promise<unknown[][]> {
    const [quick, own] = [quickOf(query), prepared(query)];
    const answers: unknown[][] = [];
    for (const values of calls) {
      const answer = await quick(values);
      expect(answer).toStrictEqual(await own.execute(values));
      answers.push(answer as unknown[]);
    }
    return answers;
  }

  const byId = eq(samples.id, sql.placeholder('id'));
  const ids = (...names: string[]) => names.map((id) => ({ id }));

  test('every type of column is read like drizzle does, including null', () =>
    withSamples(async (tx) => {
      const answers = await expectSame(
        tx.select().from(samples).where(byId),
        ...ids('a', 'b', 'c', 'd', 'e', 'x'),
      );
      expect(answers).toEqual([...rows.map((row) => [row]), []]);
    }));

  test('expressions are decoded by their own type', () =>
    withSamples(async (tx) => {
      const fields = {
        isBig: sql`${samples.atMs} > 1000`.mapWith(Boolean),
        named: sql<number>`length(${samples.note})`.mapWith(Number).as('named'),
        bare: sql`'text'`,
        ...(isPostgres && {
          moment: sql`timestamptz '2026-01-05 12:00:00+00'`,
          date: sql`date '2026-01-05'`,
          list: sql`array[1, 2]`,
          exact: sql`cast(9007199254740993 as bigint)`,
        }),
      };
      await expectSame(tx.select(fields).from(samples).where(byId), ...ids('a', 'b', 'c'));
    }));

  test('a missing joined row is null, and one of expressions is not', () =>
    withSamples(async (tx) => {
      const query = tx
        .select({
          id: samples.id,
          other: others,
          // Its first column is null in an existing row.
          part: { note: others.note, id: others.id },
          reckoned: { twice: sql`${samples.atMs} * 0` },
        })
        .from(samples)
        .leftJoin(others, eq(others.id, samples.otherId))
        .where(byId);
      const answers = await expectSame(query, ...ids('a', 'b', 'c', 'd'));
      expect(answers.map(([row]) => (row as { other: Sample | null }).other?.id)).toEqual([
        'b',
        undefined,
        undefined,
        'a',
      ]);
    }));

  test('lists are bound one by one, or as JSON', () =>
    withSamples(async (tx) => {
      const either = inArray(samples.id, [sql.placeholder('one'), sql.placeholder('two'), 'e']);
      const [some] = await expectSame(
        tx.select({ id: samples.id }).from(samples).where(either).orderBy(asc(samples.id)),
        { one: 'a', two: 'c' },
      );
      expect(some).toEqual(ids('a', 'c', 'e'));
      const listed = sql`${samples.id} in (select value from ${listOf(sql.placeholder('ids'), 'listed')})`;
      const [found] = await expectSame(
        tx.select({ id: samples.id }).from(samples).where(listed).orderBy(asc(samples.id)).limit(2),
        { ids: JSON.stringify(['d', 'b', 'a']) },
      );
      expect(found).toEqual(ids('a', 'b'));
    }));

  test('values are written like drizzle does, including defaults', () =>
    withSamples(async (tx) => {
      const keys = Object.keys(rows[0] ?? {});
      const places = Object.fromEntries(keys.map((key) => [key, sql.placeholder(key)]));
      const insert = quickOf(tx.insert(samples).values(places as never));
      for (const row of rows) await insert(row);
      expect(await tx.select().from(samples).orderBy(asc(samples.id))).toEqual(rows);
      await quickOf(tx.insert(samples).values({ id: sql.placeholder('id') }))({ id: 'f' });
      const [added] = await tx.select().from(samples).where(eq(samples.id, 'f'));
      expect(added).toEqual({
        id: 'f',
        note: null,
        flag: true,
        maybe: null,
        facts: null,
        atMs: null,
        kind: 'plain',
        otherId: null,
      });
    }, []));

  test('returned columns of an update are read the same way', () =>
    withSamples(async (tx) => {
      const query = tx
        .update(samples)
        .set({ maybe: sql.placeholder('maybe') as never, facts: sql.placeholder('facts') })
        .where(byId)
        .returning({ id: samples.id, maybe: samples.maybe, facts: samples.facts });
      const facts = { a: [1] };
      expect(
        await expectSame(query, { id: 'a', maybe: false, facts }, { id: 'x', maybe: true, facts }),
      ).toEqual([[{ id: 'a', maybe: false, facts }], []]);
      expect(await tx.select({ id: samples.id }).from(samples).where(isNull(samples.maybe))).toHaveLength(2);
    }));

  test('a placeholder without a value throws', () =>
    withSamples(async (tx) => {
      const quick = quickOf(tx.select().from(samples).where(byId));
      await expect((async () => quick({ name: 'a' }))()).rejects.toThrow(/no value for/i);
    }));
});
