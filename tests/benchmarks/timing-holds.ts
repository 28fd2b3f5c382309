import type { Database } from '#db/database.ts';
import { rounded } from '#tests/benchmarks/measure.ts';

/** The database, and the longest duration of its transactions since the last call, with their commit. */
export function timingHolds(db: Database) {
  let longestMs = 0;
  const timed: Database = {
    ...db,
    async transaction(decide, options) {
      let begunMs = 0;
      const value = await db.transaction((tx) => {
        begunMs = performance.now();
        return decide(tx);
      }, options);
      longestMs = Math.max(longestMs, performance.now() - begunMs);
      return value;
    },
  };
  const longestHoldMs = () => {
    const found = rounded(longestMs, 1);
    longestMs = 0;
    return found;
  };
  return { db: timed, longestHoldMs };
}
