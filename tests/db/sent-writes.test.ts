// On a PostgreSQL server a transaction sends writes without waiting for their answers.
import { eq, sql } from 'drizzle-orm';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Database, isUniqueViolation, type Tx } from '#db/database.ts';
import { isPostgres } from '#db/dialect.ts';
import { openIdNonces } from '#db/schema/account.ts';
import { statement } from '#db/statement.ts';
import { insertInto } from '#db/write.ts';
import { Refused } from '#domain/outcome.ts';
import { openTestDatabase } from '#tests/support/database.ts';
import { serverUrl } from '#tests/support/server-database.ts';

let database: Database;
beforeEach(async () => {
  database = await openTestDatabase();
});
afterEach(() => database.close());

const insertNonce = insertInto(openIdNonces, 'sent_nonce');
const record = (tx: Tx, nonce: string) => insertNonce(tx, { nonce, seenAtMs: 1 });
const readNonce = statement('sent_nonce_read', (tx) =>
  tx
    .select()
    .from(openIdNonces)
    .where(eq(openIdNonces.nonce, sql.placeholder('nonce'))),
);
const recorded = async () => (await database.read.select().from(openIdNonces)).map(({ nonce }) => nonce);

/** Fails at its second write, and goes on. */
const recordTwice = (goOn: (tx: Tx) => unknown) =>
  database.transaction(async (tx) => {
    await record(tx, 'one');
    await record(tx, 'one');
    return goOn(tx);
  });

test.runIf(isPostgres && serverUrl)('A write that nobody reads is not waited for', async () => {
  const answers = await database.transaction(async (tx) => [record(tx, 'one'), record(tx, 'two')]);
  expect(answers).toEqual([undefined, undefined]);
  expect(await recorded()).toEqual(['one', 'two']);
});

test('What was written before is there for a later statement', async () => {
  const found = await database.transaction(async (tx) => {
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
  await database.transaction(async (tx) => record(tx, 'next'));
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
  const refused = database.transaction(async () => {
    throw new Refused('tooLate');
  });
  await expect(refused).rejects.toThrow('refused: tooLate');
});
