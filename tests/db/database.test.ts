import { rmSync } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type BetterSqlite from 'better-sqlite3';
import { eq, sql } from 'drizzle-orm';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  type Answer,
  type Database,
  isUniqueViolation,
  lockNamed,
  openSqlite,
  type Tx,
} from '#db/database.ts';
import { isPostgres } from '#db/dialect.ts';
import { errorCode } from '#db/error-code.ts';
import { openIdNonces } from '#db/schema/account.ts';
import { bots } from '#db/schema/bot.ts';
import { ledgerEntries } from '#db/schema/item.ts';
import { statement } from '#db/statement.ts';
import { insertInto } from '#db/write.ts';
import { makeSqliteFile, openLoneDatabase, type TestDatabase } from '#tests/support/database.ts';
import { addBot, addStreamer, asset, deposit, START_MS } from '#tests/support/fixtures.ts';

let db: TestDatabase;
beforeEach(async () => {
  db = await openLoneDatabase();
});
afterEach(() => db.close());

const note = (tx: Tx, nonce: string) => tx.insert(openIdNonces).values({ nonce, seenAtMs: START_MS });
const recorded = async (store: Database = db) =>
  (await store.read.select({ nonce: openIdNonces.nonce }).from(openIdNonces))
    .map(({ nonce }) => nonce)
    .sort();

describe('A transaction', () => {
  test('writes everything or, if it throws, nothing', async () => {
    await db.transaction((tx) => note(tx, 'kept'));
    const failing = db.transaction(async (tx) => {
      await note(tx, 'lost');
      throw new Error('a bug');
    });
    await expect(failing).rejects.toThrow('a bug');
    expect(await recorded()).toEqual(['kept']);
  });

  test('refuses a nested transaction', async () => {
    const nested = db.transaction(() => db.transaction(async () => {}));
    await expect(nested).rejects.toThrow('transaction() inside transaction()');
  });

  test('writes nothing if it contains another, however deep and after whatever was awaited', async () => {
    const deeper = async (tx: Tx) => {
      await note(tx, 'deeper');
      await db.transaction((inner) => note(inner, 'inner'));
      return tx;
    };
    const nested = db.transaction(async (tx) => {
      await note(tx, 'outer');
      await deeper(tx);
    });
    await expect(nested).rejects.toThrow('transaction() inside transaction()');
    expect(await recorded()).toEqual([]);
    await db.transaction((tx) => note(tx, 'next'));
    expect(await recorded()).toEqual(['next']);
  });

  test('is not taken for a nested one when it is requested while another is open', async () => {
    let second: Promise<void> | undefined;
    let begun = () => {};
    const waiting = new Promise<void>((resolve) => {
      begun = resolve;
    });
    const other = waiting.then(() => {
      second = db.transaction(async (tx) => void (await note(tx, 'second')));
    });
    await db.transaction(async (tx) => {
      begun();
      await note(tx, 'first');
      await other;
    });
    await second;
    expect(await recorded()).toEqual(['first', 'second']);
  });

  test('invalidates its tx when it ends', async () => {
    let saved: Tx | undefined;
    await db.transaction(async (tx) => {
      saved = tx;
    });
    await expect((async () => note(saved as Tx, 'late'))()).rejects.toThrow(/revoked/);
    expect(await recorded()).toEqual([]);
  });

  test('runs one after another, each seeing the writes of the one before', async () => {
    const counts = await Promise.all(
      ['a', 'b', 'c'].map((nonce) =>
        db.transaction(
          async (tx) => {
            await note(tx, nonce);
            return Number(await tx.$count(openIdNonces));
          },
          { lock: lockNamed('nonces') },
        ),
      ),
    );
    expect(counts.sort()).toEqual([1, 2, 3]);
  });
});

test('The revision changes after a commit by any process, and not otherwise', async () => {
  const before = await db.revision();
  expect(await db.revision()).toBe(before);
  await recorded();
  expect(await db.revision()).toBe(before);
  await db.transaction((tx) => note(tx, 'ours'));
  const after = await db.revision();
  expect(after).not.toBe(before);
  expect(await db.revision()).toBe(after);
});

test('The revision ignores this process’s quiet writes, but not its earlier writes', async () => {
  const before = await db.revision();
  await db.transaction((tx) => note(tx, 'a sign of life'), { quiet: true });
  await db.transaction(async () => {});
  await db.transaction(async () => {}, { quiet: true });
  expect(await db.revision()).toBe(before);
  await db.transaction((tx) => note(tx, 'news'));
  await db.transaction((tx) => note(tx, 'another sign'), { quiet: true });
  expect(await db.revision()).not.toBe(before);
});

test.skipIf(isPostgres)('The revision changes after another connection’s commit', async () => {
  const { file, folder } = await makeSqliteFile();
  const [ours, theirs] = [await openSqlite(file), await openSqlite(file)];
  const before = await ours.revision();
  await theirs.transaction((tx) => note(tx, 'theirs'), { quiet: true });
  await ours.transaction((tx) => note(tx, 'ours'), { quiet: true });
  expect(await ours.revision()).not.toBe(before);
  await Promise.all([ours.close(), theirs.close()]);
  rmSync(folder, { recursive: true, force: true });
});

test('Writing through `read` is refused', async () => {
  const writer = db.read as Tx;
  await expect((async () => note(writer, 'sneaked'))()).rejects.toThrow();
  await expect((async () => writer.delete(openIdNonces))()).rejects.toThrow();
  await expect((async () => writer.update(openIdNonces).set({ seenAtMs: 0 }))()).rejects.toThrow();
  expect(await recorded()).toEqual([]);
});

describe('A unique violation', () => {
  const add = insertInto(openIdNonces, 'nonce');
  const twice = (write: (tx: Tx) => Answer<unknown>) =>
    db
      .transaction(async (tx) => {
        await write(tx);
        await write(tx);
      })
      .then(
        () => null,
        (error: unknown) => error,
      );

  test('is recognized in the query builder’s wrapper and from a prepared statement', async () => {
    expect(isUniqueViolation(await twice((tx) => note(tx, 'same')))).toBe(true);
    expect(isUniqueViolation(await twice((tx) => add(tx, { nonce: 'same', seenAtMs: 1 })))).toBe(true);
  });

  test('is recognized at any depth, and not in other errors', async () => {
    const violation = await twice((tx) => note(tx, 'same'));
    const wrapped = new Error('outer', { cause: new Error('inner', { cause: violation }) });
    expect(isUniqueViolation(wrapped)).toBe(true);
    expect(isUniqueViolation(new Error('plain'))).toBe(false);
    expect(isUniqueViolation(undefined)).toBe(false);
  });

  test('differs from a missing reference, a missing value and an invalid state', async () => {
    const errorOf = (write: (tx: Tx) => Promise<unknown>) =>
      db.transaction(write).catch((error: unknown) => error);
    const entry = { id: '1', itemId: 'none', fromHolder: 'a', toHolder: 'b', cause: 'c', atMs: 1 };
    const errors = [
      await errorOf(async (tx) => tx.insert(ledgerEntries).values(entry)),
      await errorOf(async (tx) => tx.insert(bots).values({ id: null as never, firstSeenAtMs: 1 })),
      await errorOf(async (tx) =>
        tx.insert(bots).values({ id: 'b', firstSeenAtMs: 1, state: 'dancing' as never }),
      ),
    ];
    for (const error of errors) {
      expect(errorCode(error)).not.toBe('');
      expect(isUniqueViolation(error)).toBe(false);
    }
  });
});

test('The ledger is append-only', async () => {
  await addBot(db);
  const streamer = await addStreamer(db);
  await deposit(db, streamer, [asset()]);
  const reasonOf = async (change: (tx: Tx) => Promise<unknown>) => {
    const error = await db.transaction(change).catch((thrown: Error) => thrown);
    return error instanceof Error ? `${error.message} ${error.cause ?? ''}` : 'it was written';
  };
  const rewritten = await reasonOf(async (tx) => tx.update(ledgerEntries).set({ cause: 'rewritten' }));
  expect(rewritten).toContain('the ledger is append-only');
  expect(await reasonOf(async (tx) => tx.delete(ledgerEntries))).toContain('the ledger is append-only');
  const entries = await db.read.select({ cause: ledgerEntries.cause }).from(ledgerEntries);
  expect(entries).toEqual([{ cause: 'deposit' }]);
});

test('A statement built once works in every transaction and in reads, with its own values', async () => {
  const find = statement('find_nonce', (q) =>
    q
      .select({ seenAtMs: openIdNonces.seenAtMs })
      .from(openIdNonces)
      .where(eq(openIdNonces.nonce, sql.placeholder('nonce'))),
  );
  for (const nonce of ['one', 'two']) {
    const found = await db.transaction(async (tx) => {
      await note(tx, nonce);
      return find(tx, { nonce });
    });
    expect(found).toEqual([{ seenAtMs: START_MS }]);
  }
  expect(await find(db.read, { nonce: 'two' })).toHaveLength(1);
  expect(await find(db.read, { nonce: 'three' })).toEqual([]);
});

describe.skipIf(isPostgres)('SQLite’s connections', () => {
  /** The driver connection behind a query builder. */
  const connectionBehind = (q: unknown) => (q as { $client: BetterSqlite.Database }).$client;
  const settingsOf = (connection: BetterSqlite.Database) => ({
    journal: connection.pragma('journal_mode', { simple: true }),
    synchronous: connection.pragma('synchronous', { simple: true }),
    foreignKeys: connection.pragma('foreign_keys', { simple: true }),
  });
  const FULL = 2;

  test('both use WAL, survive a power cut and enforce references', async () => {
    const settings = { journal: 'wal', synchronous: FULL, foreignKeys: 1 };
    expect(settingsOf(connectionBehind(db.read))).toEqual(settings);
    expect(await db.transaction(async (tx) => settingsOf(connectionBehind(tx)))).toEqual(settings);
  });

  test('take the write lock at the start, so that no read is outdated when writing', async () => {
    await db.transaction(async (tx) => {
      expect(connectionBehind(tx).inTransaction).toBe(true);
      const other = connectionBehind(db.read);
      other.pragma('query_only = OFF');
      other.pragma('busy_timeout = 0');
      expect(() => other.exec('BEGIN IMMEDIATE')).toThrow(expect.objectContaining({ code: 'SQLITE_BUSY' }));
    });
  });

  test('Awaiting anything but the database inside a transaction throws, and nothing is written', async () => {
    const slow = db.transaction(async (tx) => {
      await note(tx, 'lost');
      await nextTurn();
    });
    await expect(slow).rejects.toThrow('awaited something that is not the database');
    expect(await recorded()).toEqual([]);
    await db.transaction((tx) => note(tx, 'next'));
    expect(await recorded()).toEqual(['next']);
  });

  test('A transaction that contains another fails even if it passes over the refusal', async () => {
    const passedOver = db.transaction(async (tx) => {
      await note(tx, 'outer');
      await db.transaction((inner) => note(inner, 'inner')).catch(() => {});
    });
    await expect(passedOver).rejects.toThrow('awaited something that is not the database');
    expect(await recorded()).toEqual([]);
  });

  test('What waits behind a refused transaction begins only after the outer one', async () => {
    let behind: Promise<unknown> | undefined;
    const outer = db.transaction(async (tx) => {
      const inner = db.transaction((nested) => note(nested, 'inner'));
      behind = db.transaction((next) => note(next, 'behind')).catch((error: Error) => error);
      await inner.catch(() => {});
      await note(tx, 'still outer');
    });
    await expect(outer).rejects.toThrow('awaited something that is not the database');
    expect(String(await behind)).toContain('transaction() inside transaction()');
    await db.transaction((tx) => note(tx, 'next'));
    expect(await recorded()).toEqual(['next']);
  });

  test('A transaction that is requested while another outlasts its turn is refused at once', async () => {
    const outlasting = db.transaction(async () => {
      await nextTurn();
      await db.transaction((tx) => note(tx, 'inner'));
    });
    await expect(outlasting).rejects.toThrow('transaction() inside transaction()');
    expect(await recorded()).toEqual([]);
  });

  test('parse a statement once, and keep each reader’s row format', async () => {
    const connection = connectionBehind(db.read);
    const text = 'select 7 as seven';
    const first = connection.prepare(text);
    expect(first.raw().get()).toEqual([7]);
    const second = connection.prepare(text);
    expect(second).toBe(first);
    expect(second.get()).toEqual({ seven: 7 });
    expect(connection.prepare('select 8 as eight')).not.toBe(first);
    // The builder maps raw rows; its results before and after are equal.
    await db.transaction((tx) => note(tx, 'n'));
    const query = () => db.read.select().from(openIdNonces);
    expect(await query()).toEqual(await query());
  });

  test('drop the oldest statement beyond the limit, which still works afterwards', async () => {
    const connection = connectionBehind(db.read);
    const oldest = connection.prepare('select 0 as n');
    for (let n = 1; n <= 600; n++) connection.prepare(`select ${n} as n`);
    expect(connection.prepare('select 0 as n')).not.toBe(oldest);
    expect(oldest.get()).toEqual({ n: 0 });
  });
});
