import type { Reader } from '#db/database.ts';

/** The limits of a user's plan. */
export interface Limits {
  rules: number;
  rewardsPerMonth: number;
  /** Whether the user may open rules on channels that admit them. */
  otherChannels: boolean;
}

/** The limits on a free instance, which has no plans. */
export const freeInstance: Limits = { rules: 100, rewardsPerMonth: 5000, otherChannels: true };

/** Returns a user's current limits; read inside the action's own transaction. */
export async function limitsOf(_q: Reader, _userId: string): Promise<Limits> {
  return freeInstance;
}
