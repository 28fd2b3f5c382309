import type { Database } from '#db/database.ts';
import { type Limits, limitsOf } from './limits-of.ts';
import { countAttachedRewards, countClaims, countRules } from './usage-counts.ts';

/** A user's use of the limits. */
export interface Usage {
  limits: Limits;
  rules: number;
  rewardsThisMonth: number;
  claimsThisMonth: number;
}

/** Reads a user's limits and what counts against them now. */
export async function getUsage({ read }: Database, userId: string, nowMs: number): Promise<Usage> {
  const limits = await limitsOf(read, userId, nowMs);
  const [rules, rewardsThisMonth, claimsThisMonth] = await Promise.all([
    countRules(read, userId),
    countAttachedRewards(read, userId, limits.rewardsMonth),
    countClaims(read, userId, limits.claimsMonth),
  ]);
  return { limits, rules, rewardsThisMonth, claimsThisMonth };
}
