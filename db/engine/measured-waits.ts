import type { Answer, Database, TransactionOptions } from '#db/database.ts';

/** Reports how long each transaction waited until it began, in seconds: for the write lock, a connection or a lock. */
export function measureWaits(db: Database, report: (seconds: number) => void): Database {
  const measured = {
    transaction(decide: (tx: never) => Answer<unknown>, options?: TransactionOptions) {
      const askedAtMs = performance.now();
      let isReported = false;
      return db.transaction((tx) => {
        if (!isReported) report((performance.now() - askedAtMs) / 1000);
        // It may be repeated.
        isReported = true;
        return decide(tx as never);
      }, options);
    },
  };
  return { ...db, transaction: measured.transaction as Database['transaction'] };
}
