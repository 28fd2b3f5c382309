import type { Reader } from '#db/database.ts';

/** What a user may do. */
export interface Limits {
  rules: number;
  rewardsPerMonth: number;
  /** May open rules on channels of others who admit them. */
  otherChannels: boolean;
}

/** The limits of everyone on a free instance, which sells no plans. */
const freeInstance: Limits = { rules: 100, rewardsPerMonth: 5000, otherChannels: true };

/** The limits that hold for a user now; read inside the act's own transaction. */
export async function limitsOf(_q: Reader, _userId: string): Promise<Limits> {
  return freeInstance;
}
