import { rmSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { type Database, openSqlite, type Tx } from '#db/database.ts';
import { isPostgres } from '#db/dialect.ts';
import { errorCode } from '#db/error-code.ts';
import { openIdNonces } from '#db/schema/account.ts';
import { makeSqliteFile } from '#tests/support/database.ts';
import { START_MS } from '#tests/support/fixtures.ts';

const note = (tx: Tx, nonce: string) => tx.insert(openIdNonces).values({ nonce, seenAtMs: START_MS });
const recorded = async (store: Database) =>
  (await store.read.select({ nonce: openIdNonces.nonce }).from(openIdNonces)).map(({ nonce }) => nonce);

describe.skipIf(isPostgres)('Two openings of one SQLite file', () => {
  /** A transaction that holds the write lock until it is released; awaiting that makes it fail. */
  function holdWriteLock(store: Database) {
    let letGo = () => {};
    const gate = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    let entered = () => {};
    const holding = new Promise<void>((resolve) => {
      entered = resolve;
    });
    const ended = store
      .transaction(async () => {
        entered();
        await gate;
      })
      .catch(() => {});
    const end = () => {
      letGo();
      return ended;
    };
    return { holding, letGo: end };
  }

  test('The second writer waits for the first without blocking the event loop', async () => {
    const { file, folder } = await makeSqliteFile();
    const [one, two] = [await openSqlite(file), await openSqlite(file)];
    const lock = holdWriteLock(one);
    await lock.holding;
    let done = false;
    const writing = two
      .transaction((tx) => note(tx, 'second'))
      .then(() => {
        done = true;
      });
    const beganMs = performance.now();
    for (let turn = 0; turn < 10; turn++) await delay(5);
    expect(performance.now() - beganMs).toBeLessThan(2000);
    expect(done).toBe(false);
    expect(await recorded(two)).toEqual([]);
    await lock.letGo();
    await writing;
    expect(await recorded(one)).toEqual(['second']);
    await Promise.all([one.close(), two.close()]);
    rmSync(folder, { recursive: true, force: true });
  });

  test('A writer waits as long when the clock is stepped forwards meanwhile', async () => {
    const { file, folder } = await makeSqliteFile();
    const [one, two] = [await openSqlite(file), await openSqlite(file)];
    const lock = holdWriteLock(one);
    await lock.holding;
    vi.useFakeTimers({ toFake: ['Date'] });
    onTestFinished(() => void vi.useRealTimers());
    const writing = two
      .transaction((tx) => note(tx, 'second'))
      .then(
        () => null,
        (error: unknown) => error,
      );
    // It has been refused the lock once, and waits.
    await delay(5);
    vi.setSystemTime(Date.now() + 9 * 3_600_000);
    for (let turn = 0; turn < 10; turn++) await delay(5);
    await lock.letGo();
    expect(await writing).toBeNull();
    await Promise.all([one.close(), two.close()]);
    rmSync(folder, { recursive: true, force: true });
  });

  test('A writer eventually gives up and reports that the database is busy', async () => {
    const { file, folder } = await makeSqliteFile();
    const [one, two] = [await openSqlite(file), await openSqlite(file, { waitMs: 20 })];
    const lock = holdWriteLock(one);
    await lock.holding;
    const refused = await two.transaction((tx) => note(tx, 'late')).catch((error: unknown) => error);
    expect(errorCode(refused)).toMatch(/^SQLITE_BUSY/);
    await lock.letGo();
    await two.transaction((tx) => note(tx, 'again'));
    await Promise.all([one.close(), two.close()]);
    rmSync(folder, { recursive: true, force: true });
  });
});
