import { and, eq, isNotNull } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { authenticators } from '#db/schema/second-factor.ts';
import type { AccountCodeOf } from '#domain/account/account-code.ts';
import { notifyOfChange } from '#domain/account/notify-of-change.ts';
import { done, type Outcome, refuse } from '#domain/outcome.ts';
import { endSecondFactor } from './end-second-factor.ts';
import { lockSecondFactor, proveSecondFactor, type Times } from './prove-second-factor.ts';

type Code = AccountCodeOf<'authenticatorOff' | 'secondFactorWrong'>;

/**
 * Turns the authenticator app off by one of its codes or a recovery code. Where it was the last second factor, recovery
 * codes end with it. The owner is mailed.
 */
export async function removeAuthenticator(
  db: Database,
  input: { userId: string; code: string },
  times: Times,
): Promise<Outcome<object, Code>> {
  const { userId } = input;
  return db.transaction(async (tx) => {
    await lockSecondFactor(tx, userId);
    const isOn = and(eq(authenticators.userId, userId), isNotNull(authenticators.confirmedAtMs));
    if ((await tx.$count(authenticators, isOn)) === 0) return refuse('authenticatorOff');
    if (!(await proveSecondFactor(tx, input, times))) return refuse('secondFactorWrong');
    await tx.delete(authenticators).where(eq(authenticators.userId, userId));
    await endSecondFactor(tx, userId);
    await notifyOfChange(tx, { userId, change: 'authenticatorOff' }, times.nowMs);
    return done({});
  });
}
