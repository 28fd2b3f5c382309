import { count, eq } from 'drizzle-orm';
import type { Reader } from '#db/database.ts';
import { longRounds } from '#db/schema/bot.ts';
import { custodyDrifts } from '#db/schema/custody-drift.ts';

/** The worker that compares every item with the ledger. */
export const AUDIT = 'audit';

/** When every item was compared with the ledger last, in system time, and how many differ that are not resolved yet. */
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
