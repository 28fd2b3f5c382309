import { count, eq } from 'drizzle-orm';
import type { Reader } from '#db/database.ts';
import { longRounds } from '#db/schema/bot.ts';
import { custodyDrifts } from '#db/schema/custody-drift.ts';

/** The worker that compares every item with the ledger. */
export const AUDIT = 'audit';

/**
 * The time at which every item was last compared with the ledger, in system time, and the number of
 * unresolved differences.
 */
export interface LastAudit {
  atMs: number;
  drifts: number;
}

/** Finds the last audit; null before the first. */
export async function findLastAudit(q: Reader): Promise<LastAudit | null> {
  const [last] = await q
    .select({ atMs: longRounds.endedAtMs })
    .from(longRounds)
    .where(eq(longRounds.worker, AUDIT));
  if (!last) return null;
  const [found] = await q.select({ drifts: count() }).from(custodyDrifts);
  return { atMs: last.atMs, drifts: found?.drifts ?? 0 };
}
