import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Database, Tx } from '#db/database.ts';
import { isPostgres } from '#db/dialect.ts';
import { openIdNonces } from '#db/schema/account.ts';
import { openTestDatabase } from '#tests/support/database.ts';

let db: Database;
beforeEach(async () => {
  db = await openTestDatabase();
});
afterEach(() => db.close());

const note = async (tx: Tx, nonce: string): Promise<unknown> =>
  tx.insert(openIdNonces).values({ nonce, seenAtMs: 1 });
const recorded = async () => (await db.read.select().from(openIdNonces)).map(({ nonce }) => nonce);

/** Writes one row, and swallows the failure of writing it again. */
const swallowFailure = () =>
  db.transaction(async (tx) => {
    await note(tx, 'first');
    await note(tx, 'first').catch(() => {});
    return 'done';
  });

test.runIf(isPostgres)('A transaction with a swallowed failure throws: nothing was committed', async () => {
  await expect(swallowFailure()).rejects.toThrow('rolled back instead of committed');
  expect(await recorded()).toEqual([]);
  await db.transaction((tx) => note(tx, 'next'));
  expect(await recorded()).toEqual(['next']);
});

test.skipIf(isPostgres)(
  'On SQLite a failed statement undoes only itself, and the rest is committed',
  async () => {
    expect(await swallowFailure()).toBe('done');
    expect(await recorded()).toEqual(['first']);
  },
);
