import { and, count, type SQL, sql } from 'drizzle-orm';
import type { Reader } from '#db/database.ts';
import { rewards, type StopReason, stopReasons } from '#db/schema/reward.ts';

/** The number of stopped claims, by reason. */
export type StoppedCounts = Record<StopReason, number>;

/**
 * Counting stops here, so that its cost stays bounded however long a channel exists. No page needs larger
 * numbers.
 */
export const MAX_COUNTED_STOPS = 1000;

/**
 * Counts the stopped claims of a channel or a rule, up to a thousand, by an index that contains nothing else.
 */
export async function countStopped(read: Reader, whose: SQL): Promise<StoppedCounts> {
  const stopped = read
    .select({ reason: rewards.stopReason })
    .from(rewards)
    // A literal: with a bound value SQLite could not use the partial index.
    .where(and(whose, sql`${rewards.recallReason} = 'stopped'`))
    .limit(MAX_COUNTED_STOPS)
    .as('stopped');
  const rows = await read
    .select({ reason: stopped.reason, claims: count() })
    .from(stopped)
    .groupBy(stopped.reason);
  const counts = Object.fromEntries(stopReasons.map((reason) => [reason, 0])) as StoppedCounts;
  for (const { reason, claims } of rows) if (reason !== null) counts[reason] = Number(claims);
  return counts;
}
