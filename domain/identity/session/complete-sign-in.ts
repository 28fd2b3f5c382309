import { and, eq, gt } from 'drizzle-orm';
import type { Database, Reader } from '#db/database.ts';
import { pendingSignIns } from '#db/schema/second-factor.ts';
import { hashOf } from '#domain/identity/access/secret-token.ts';
import type { AccountCodeOf } from '#domain/identity/account-code.ts';
import {
  lockSecondFactor,
  proveSecondFactor,
  readProof,
  type SecondFactorProof,
  type Times,
} from '#domain/identity/second-factor/prove-second-factor.ts';
import { done, type Outcome, refuse } from '#domain/kernel/outcome.ts';
import { type SignedInBrowser, writeSession } from './open-session.ts';

/**
 * Finds the user whose sign-in waits for its second factor under this token; null if it ended or is older
 * than ten minutes.
 */
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
 * Completes a sign-in by its second factor: a code of the app, a recovery code, or a passkey. The pending sign-in ends with it, so
 * that it opens one session; a wrong proof leaves it, and the caller limits how often.
 */
export async function completeSignIn(
  db: Database,
  input: SignedInBrowser & SecondFactorProof & { pendingToken: string },
  times: Times,
): Promise<Outcome<{ userId: string; token: string }, Code>> {
  const { pendingToken } = input;
  const { nowMs } = times;
  const waiting = await findPendingSignIn(db.read, { pendingToken }, nowMs);
  if (!waiting) return refuse('signInExpired');
  const { userId } = waiting;
  const proof = await readProof(db, { ...input, userId }, nowMs);
  return db.transaction(async (tx) => {
    await lockSecondFactor(tx, userId);
    // Checked again under the lock: a new password, or another request with this token, may have ended it
    // meanwhile.
    if (!(await findPendingSignIn(tx, { pendingToken }, nowMs))) return refuse('signInExpired');
    if (!(await proveSecondFactor(tx, { userId, proof }, times))) return refuse('secondFactorWrong');
    await tx.delete(pendingSignIns).where(eq(pendingSignIns.tokenHash, hashOf(pendingToken)));
    const { token } = await writeSession(tx, { ...input, userId, isProof: true }, nowMs);
    return done({ userId, token });
  });
}
