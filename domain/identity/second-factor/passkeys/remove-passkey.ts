import { and, eq } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { passkeys } from '#db/schema/second-factor.ts';
import type { AccountCodeOf } from '#domain/identity/account-code.ts';
import { notifyOfChange } from '#domain/identity/notify-of-change.ts';
import { endLastSecondFactor } from '#domain/identity/second-factor/end-second-factor.ts';
import {
  lockSecondFactor,
  proveSecondFactor,
  readProof,
  type SecondFactorProof,
  type Times,
} from '#domain/identity/second-factor/prove-second-factor.ts';
import { done, type Outcome, refuse } from '#domain/kernel/outcome.ts';

type Code = AccountCodeOf<'passkeyUnknown' | 'secondFactorWrong'>;

/**
 * Removes a passkey. The proof can be any second factor of the account, the passkey itself included. If it
 * was the last second factor, the recovery codes end with it. The owner is mailed.
 */
export async function removePasskey(
  db: Database,
  input: SecondFactorProof & { userId: string; passkeyId: string },
  times: Times,
): Promise<Outcome<object, Code>> {
  const { userId, passkeyId } = input;
  const proof = await readProof(db, input, times.nowMs);
  return db.transaction(async (tx) => {
    await lockSecondFactor(tx, userId);
    const isIt = and(eq(passkeys.id, passkeyId), eq(passkeys.userId, userId));
    if ((await tx.$count(passkeys, isIt)) === 0) return refuse('passkeyUnknown');
    if (!(await proveSecondFactor(tx, { userId, proof }, times))) return refuse('secondFactorWrong');
    await tx.delete(passkeys).where(isIt);
    await endLastSecondFactor(tx, userId);
    await notifyOfChange(tx, { userId, change: 'passkeyRemoved' }, times.nowMs);
    return done({});
  });
}
