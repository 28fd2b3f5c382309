import type { Reader } from '#db/database.ts';

/** What a user may do. Infinity: no limit. */
export interface Limits {
  rules: number;
  rewardsPerMonth: number;
  claimsPerMonth: number;
}

/** The limits of everyone on a free instance, which sells no plans. */
const freeInstance: Limits = { rules: 100, rewardsPerMonth: 5000, claimsPerMonth: Number.POSITIVE_INFINITY };

/** The limits that hold for a user now; read inside the act's own transaction. */
export async function limitsOf(_q: Reader, _userId: string): Promise<Limits> {
  return freeInstance;
}
