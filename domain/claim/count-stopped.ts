import { and, count, type SQL, sql } from 'drizzle-orm';
import type { Reader } from '#db/database.ts';
import { rewards, type StopReason, stopReasons } from '#db/schema/reward.ts';

/** How many claims were stopped, by reason. */
export type StoppedCounts = Record<StopReason, number>;

/** More than any page has to tell apart: what is counted stays bounded, however long a channel is here. */
export const MAX_COUNTED_STOPS = 1000;

/** Counts the stopped claims of a channel or a rule, by an index that has nothing else; at most a thousand of them. */
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
