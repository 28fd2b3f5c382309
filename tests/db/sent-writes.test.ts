// On a PostgreSQL server a transaction sends writes without waiting for their answers.
import { eq, sql } from 'drizzle-orm';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type Database, isUniqueViolation, lockNamed, type Tx } from '#db/database.ts';
import { isPostgres } from '#db/dialect.ts';
import { errorCode } from '#db/error-code.ts';
import { openIdNonces } from '#db/schema/account.ts';
import { statement } from '#db/statement.ts';
import { insertInto } from '#db/write.ts';
import { Refused } from '#domain/kernel/outcome.ts';
import { openTestDatabase } from '#tests/support/database.ts';
import { PATIENCE_MS } from '#tests/support/patience.ts';
import { serverUrl } from '#tests/support/postgres-server.ts';

let db: Database;
beforeEach(async () => {
  db = await openTestDatabase();
});
afterEach(() => db.close());

const insertNonce = insertInto(openIdNonces, 'sent_nonce');
const record = (tx: Tx, nonce: string) => insertNonce(tx, { nonce, seenAtMs: 1 });
const readNonce = statement('sent_nonce_read', (tx) =>
  tx
    .select()
    .from(openIdNonces)
    .where(eq(openIdNonces.nonce, sql.placeholder('nonce'))),
);
const recorded = async () => (await db.read.select().from(openIdNonces)).map(({ nonce }) => nonce);

/** Fails at its second write, and goes on. */
const recordTwice = (goOn: (tx: Tx) => unknown) =>
  db.transaction(async (tx) => {
    await record(tx, 'one');
    await record(tx, 'one');
    return goOn(tx);
  });

test.runIf(isPostgres && serverUrl)('A write that nobody reads is not waited for', async () => {
  const answers = await db.transaction(async (tx) => [record(tx, 'one'), record(tx, 'two')]);
  expect(answers).toEqual([undefined, undefined]);
  expect(await recorded()).toEqual(['one', 'two']);
});

test('What was written before is there for a later statement', async () => {
  const found = await db.transaction(async (tx) => {
    await record(tx, 'one');
    return readNonce(tx, { nonce: 'one' });
  });
  expect(found).toEqual([{ nonce: 'one', seenAtMs: 1 }]);
});

test.each<[string, (tx: Tx) => unknown]>([
  ['nothing follows it', () => 'done'],
  ['another write follows it', (tx) => record(tx, 'two')],
  ['a read follows it', (tx) => readNonce(tx, { nonce: 'one' })],
  ['drizzle’s own read follows it', (tx) => tx.select().from(openIdNonces)],
])('A write that fails undoes the transaction and is what it throws, if %s', async (_, goOn) => {
  const error = await recordTwice(goOn).catch((failure: unknown) => failure);
  expect(isUniqueViolation(error)).toBe(true);
  expect(await recorded()).toEqual([]);
  await db.transaction(async (tx) => record(tx, 'next'));
  expect(await recorded()).toEqual(['next']);
});

test('A refusal does not hide that a write before it failed', async () => {
  const failed = recordTwice(() => {
    throw new Refused('tooLate');
  });
  expect(isUniqueViolation(await failed.catch((error: unknown) => error))).toBe(true);
  expect(await recorded()).toEqual([]);
});

test('A failure leaves the next transaction on the connection alone', async () => {
  await expect(recordTwice(() => 'done')).rejects.toThrow();
  const refused = db.transaction(async () => {
    throw new Refused('tooLate');
  });
  await expect(refused).rejects.toThrow('refused: tooLate');
});

test.runIf(isPostgres && serverUrl)('A wait for a lock that is ended leaves nothing behind', async () => {
  const lock = lockNamed('of sent writes');
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  await new Promise<void>((resolve) => {
    void db.transaction(
      async () => {
        resolve();
        await released;
      },
      { lock },
    );
  });
  const waiting = db.transaction(async (tx) => record(tx, 'late'), { lock });
  const met = waiting.catch((error: unknown) => errorCode(error));
  await vi.waitFor(async () => expect(await endWaits()).toBe(1), { timeout: PATIENCE_MS });
  expect(await met).toBe('57014');
  release();
  await db.transaction(async (tx) => record(tx, 'next'), { lock });
  expect(await recorded()).toEqual(['next']);
});

/** Ends the statements that wait for a lock, and returns how many. */
async function endWaits(): Promise<number> {
  const { rowCount } = await (
    db.read as unknown as { execute(query: unknown): Promise<{ rowCount: number }> }
  ).execute(
    sql`select pg_cancel_backend(pid) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
  );
  return rowCount;
}
