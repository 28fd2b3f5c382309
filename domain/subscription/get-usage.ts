import type { Database } from '#db/database.ts';
import { type Limits, limitsOf } from './limits-of.ts';
import { countAttachedRewards, countClaims, countRules, usageMonth } from './usage-counts.ts';

/** What a user has used of the limits, and when the monthly ones reset. */
export interface Usage {
  limits: Limits;
  rules: number;
  rewardsThisMonth: number;
  claimsThisMonth: number;
  resetsAtMs: number;
}

/** Reads a user's limits and what counts against them now. */
export async function getUsage({ read }: Database, userId: string, nowMs: number): Promise<Usage> {
  const [limits, rules, rewardsThisMonth, claimsThisMonth] = await Promise.all([
    limitsOf(read, userId),
    countRules(read, userId),
    countAttachedRewards(read, userId, nowMs),
    countClaims(read, userId, nowMs),
  ]);
  const { resetsAtMs } = usageMonth(nowMs);
  return { limits, rules, rewardsThisMonth, claimsThisMonth, resetsAtMs };
}
