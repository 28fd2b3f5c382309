import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import type { Database, TransactionOptions, Tx } from '#db/database.ts';

/** How long one of many transactions is meant to hold what others wait for. System time. */
const TARGET_MS = 50;
const FEWEST_ROWS = 10;

/** How many rows the next transaction takes after one of `size` rows: fewer where that was slow, more where it was fast. */
export function nextSize(size: number, heldMs: number, maxRows: number): number {
  const affordable = Math.floor((size * TARGET_MS) / Math.max(heldMs, 1));
  return Math.max(FEWEST_ROWS, Math.min(affordable, size * 2, maxRows));
}

/**
 * Work on many rows as a row of short transactions under one lock. Each is told how many rows to take, `most` of them
 * where the machine is fast enough. Between two of them others have as long as the first one took, within reason: whoever
 * waits for SQLite's lock only looks now and then whether it is free.
 */
export function pacedTransactions(database: Database, lock: string, maxRows: number) {
  let size = Math.ceil(maxRows / 2);
  let restMs = 0;
  return async <T>(decide: (tx: Tx, size: number) => Promise<T>): Promise<T> => {
    await delay(restMs);
    let begunMs = 0;
    const options: TransactionOptions = { lock };
    const value = await database.transaction((tx) => {
      begunMs = performance.now();
      return decide(tx, size);
    }, options);
    const heldMs = performance.now() - begunMs;
    restMs = Math.min(heldMs, TARGET_MS);
    size = nextSize(size, heldMs, maxRows);
    return value;
  };
}
