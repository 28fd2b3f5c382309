import { and, eq, gt } from 'drizzle-orm';
import type { Database, Reader } from '#db/database.ts';
import { pendingSignIns } from '#db/schema/second-factor.ts';
import { hashOf } from '#domain/account/access/secret-token.ts';
import type { AccountCodeOf } from '#domain/account/account-code.ts';
import {
  lockSecondFactor,
  proveSecondFactor,
  type Times,
} from '#domain/account/second-factor/prove-second-factor.ts';
import { done, type Outcome, refuse } from '#domain/outcome.ts';
import { type SignedInBrowser, writeSession } from './open-session.ts';

/** Whose sign-in waits for its second factor under this token; null if it ended or is older than ten minutes. */
export async function findPendingSignIn(
  q: Reader,
  { pendingToken }: { pendingToken: string },
  nowMs: number,
): Promise<{ userId: string } | null> {
  const [pending] = await q
    .select({ userId: pendingSignIns.userId })
    .from(pendingSignIns)
    .where(and(eq(pendingSignIns.tokenHash, hashOf(pendingToken)), gt(pendingSignIns.expiresAtMs, nowMs)));
  return pending ?? null;
}

type Code = AccountCodeOf<'signInExpired' | 'secondFactorWrong'>;

/**
 * Completes a sign-in by its second factor: a code of the app, or a recovery code. The pending sign-in ends with it, so
 * that it opens one session; a wrong code leaves it, and the caller limits how often.
 */
export async function completeSignIn(
  db: Database,
  input: SignedInBrowser & { pendingToken: string; code: string },
  times: Times,
): Promise<Outcome<{ userId: string; token: string }, Code>> {
  const { pendingToken, code } = input;
  const { nowMs } = times;
  return db.transaction(async (tx) => {
    const pending = await findPendingSignIn(tx, { pendingToken }, nowMs);
    if (!pending) return refuse('signInExpired');
    const { userId } = pending;
    await lockSecondFactor(tx, userId);
    // Read again under the lock: a new password, or another request with this token, may have ended it meanwhile.
    if (!(await findPendingSignIn(tx, { pendingToken }, nowMs))) return refuse('signInExpired');
    if (!(await proveSecondFactor(tx, { userId, code }, times))) return refuse('secondFactorWrong');
    await tx.delete(pendingSignIns).where(eq(pendingSignIns.tokenHash, hashOf(pendingToken)));
    const { token } = await writeSession(tx, { ...input, userId }, nowMs);
    return done({ userId, token });
  });
}
