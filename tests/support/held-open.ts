import { sql } from 'drizzle-orm';
import { expect } from 'vitest';
import type { Database, Reader, TransactionOptions } from '#db/database.ts';

/** The database of somebody whose transactions have done everything, and are committed only after `commit`. */
export function holdingOpen(db: Database) {
  let [reach, commit] = [() => {}, () => {}];
  const isReached = new Promise<void>((resolve) => {
    reach = resolve;
  });
  const isCommitted = new Promise<void>((resolve) => {
    commit = resolve;
  });
  const slow: Database = {
    ...db,
    transaction: <T, O extends TransactionOptions = object>(
      ...[decide, options]: Parameters<typeof db.transaction<T, O>>
    ) =>
      db.transaction<T, O>(async (tx) => {
        const value = await decide(tx);
        reach();
        await isCommitted;
        return value;
      }, options),
  };
  return { db: slow, isReached, commit: () => commit() };
}

/** Waits until a transaction in this database of a server waits for another one. */
export const waitedForLock = (q: Reader): Promise<void> =>
  expect
    .poll(async () => {
      const [waiting] = await q
        .select({ amount: sql<number>`count(*)`.mapWith(Number) })
        .from(sql`pg_stat_activity`)
        .where(sql`datname = current_database() and wait_event_type = 'Lock'`);
      return waiting?.amount;
    })
    .toBe(1);
