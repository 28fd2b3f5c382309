import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';

const minuteS = 60;
const limiter = (points: number, duration: number) => new RateLimiterMemory({ points, duration });

// Each process counts for itself. Addresses get more than accounts, because households and events share one.
const limiters = {
  signInByAddress: limiter(60, 15 * minuteS),
  signInByAccount: limiter(10, 15 * minuteS),
  signUpByAddress: limiter(60, 60 * minuteS),
  resendByAccount: limiter(5, 10 * minuteS),
};
export type LimitedAct = keyof typeof limiters;

/** Counts one try; false when there were too many of late. */
export async function mayTry(act: LimitedAct, who: string): Promise<boolean> {
  try {
    await limiters[act].consume(who);
    return true;
  } catch (refusal) {
    if (refusal instanceof RateLimiterRes) return false;
    throw refusal;
  }
}

/** Forgets the tries of somebody who has proven themselves. */
export async function clearTries(act: LimitedAct, who: string): Promise<void> {
  await limiters[act].delete(who);
}
