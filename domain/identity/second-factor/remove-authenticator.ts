import { and, eq, isNotNull } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { authenticators } from '#db/schema/second-factor.ts';
import type { AccountCodeOf } from '#domain/identity/account-code.ts';
import { notifyOfChange } from '#domain/identity/notify-of-change.ts';
import { done, type Outcome, refuse } from '#domain/kernel/outcome.ts';
import { endLastSecondFactor } from './end-second-factor.ts';
import {
  lockSecondFactor,
  proveSecondFactor,
  readProof,
  type SecondFactorProof,
  type Times,
} from './prove-second-factor.ts';

type Code = AccountCodeOf<'authenticatorOff' | 'secondFactorWrong'>;

/**
 * Turns the authenticator app off. The proof can be any second factor of the account, the app itself
 * included. If it was the last second factor, the recovery codes end with it. The owner is mailed.
 */
export async function removeAuthenticator(
  db: Database,
  input: SecondFactorProof & { userId: string },
  times: Times,
): Promise<Outcome<object, Code>> {
  const { userId } = input;
  const proof = await readProof(db, input, times.nowMs);
  return db.transaction(async (tx) => {
    await lockSecondFactor(tx, userId);
    const isOn = and(eq(authenticators.userId, userId), isNotNull(authenticators.confirmedAtMs));
    if ((await tx.$count(authenticators, isOn)) === 0) return refuse('authenticatorOff');
    if (!(await proveSecondFactor(tx, { userId, proof }, times))) return refuse('secondFactorWrong');
    await tx.delete(authenticators).where(eq(authenticators.userId, userId));
    await endLastSecondFactor(tx, userId);
    await notifyOfChange(tx, { userId, change: 'authenticatorOff' }, times.nowMs);
    return done({});
  });
}
