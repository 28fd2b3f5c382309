import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import type { Database, Lock, Tx } from '#db/database.ts';

/** Target duration of one transaction that others wait for. System time. */
const TARGET_MS = 50;
const FEWEST_ROWS = 10;

/** Returns the number of rows for the next transaction: fewer if the last was slow, more if it was fast. */
export function nextSize(size: number, heldMs: number, maxRows: number, minRows = FEWEST_ROWS): number {
  const affordable = Math.floor((size * TARGET_MS) / Math.max(heldMs, 1));
  return Math.max(minRows, Math.min(affordable, size * 2, maxRows));
}

/**
 * Splits work on many rows into short transactions under one lock, each given the number of rows to process,
 * up to `maxRows` on a fast machine. It is never fewer than `minRows`, because where rows are cheap, a commit
 * takes longer than a few of them. Between two transactions it pauses about as long as the last one took,
 * because waiters for SQLite's lock only poll for it.
 */
export function pacedTransactions<Held extends Tx>(
  db: Database,
  lock: Lock<Held>,
  maxRows: number,
  minRows = FEWEST_ROWS,
) {
  let size = Math.ceil(maxRows / 2);
  let restMs = 0;
  return async <T>(decide: (tx: Held, size: number) => Promise<T>): Promise<T> => {
    await delay(restMs);
    let begunMs = 0;
    const value = await db.transaction(
      (tx) => {
        begunMs = performance.now();
        return decide(tx, size);
      },
      { lock },
    );
    const heldMs = performance.now() - begunMs;
    restMs = Math.min(heldMs, TARGET_MS);
    size = nextSize(size, heldMs, maxRows, minRows);
    return value;
  };
}
