import { and, eq, isNotNull, lt } from 'drizzle-orm';
import type { Database, Tx } from '#db/database.ts';
import { authenticators } from '#db/schema/second-factor.ts';
import { users } from '#db/schema/user.ts';
import { notifyOfChange } from '#domain/identity/notify-of-change.ts';
import type { PasskeyAnswer } from '#domain/identity/second-factor/passkeys/passkey-answer.ts';
import {
  readPasskeyAnswer,
  recordPasskeyUse,
  type SignedByPasskey,
} from '#domain/identity/second-factor/passkeys/read-passkey-answer.ts';
import { consumeRecoveryCode } from './recovery-codes.ts';
import { stepOfTotp } from './totp.ts';

export interface Times {
  /** Domain time, for the recorded times. */
  nowMs: number;
  /** System time, for codes of an app. */
  systemMs: number;
}

/** Returns whether a code looks like one of an authenticator app, rather than a recovery code. */
export const isTotp = (code: string): boolean => /^\d{6}$/.test(withoutSpaces(code));

const withoutSpaces = (code: string): string => code.replaceAll(/\s/g, '');

/**
 * Locks the account's row and returns since when it has a second factor; null if it has none. Everything that
 * decides by this, or changes it, waits here, so that a sign-in cannot slip past a factor that is being
 * turned on.
 */
export async function lockSecondFactor(tx: Tx, userId: string): Promise<number | null> {
  const [user] = await tx
    .update(users)
    .set({ secondFactorAtMs: users.secondFactorAtMs })
    .where(eq(users.id, userId))
    .returning({ secondFactorAtMs: users.secondFactorAtMs });
  return user?.secondFactorAtMs ?? null;
}

/** A code of the account's app, a recovery code, or a passkey's signed answer. */
export type SecondFactorProof = { code: string } | { passkey: PasskeyAnswer };

/** A proof whose signature has been checked; null if that was wrong. */
export type CheckedProof = { code: string } | SignedByPasskey | null;

/** Does the slow part of checking a proof, before the transaction that decides by it. */
export async function readProof(
  db: Database,
  input: SecondFactorProof & { userId: string },
  nowMs: number,
): Promise<CheckedProof> {
  return 'passkey' in input ? readPasskeyAnswer(db, input, nowMs) : { code: input.code };
}

/**
 * Uses up a code of the account's app or one of its recovery codes, or records the use of a passkey, in the caller's
 * transaction. Returns whether it was right: each works once. The owner is mailed when a recovery code was used.
 */
export async function proveSecondFactor(
  tx: Tx,
  { userId, proof }: { userId: string; proof: CheckedProof },
  { nowMs, systemMs }: Times,
): Promise<boolean> {
  if (proof === null) return false;
  if ('passkeyId' in proof) return recordPasskeyUse(tx, { userId, ...proof }, nowMs);
  const { code } = proof;
  if (isTotp(code)) return consumeTotp(tx, { userId, code: withoutSpaces(code) }, systemMs);
  const isRight = await consumeRecoveryCode(tx, { userId, code }, nowMs);
  if (isRight) await notifyOfChange(tx, { userId, change: 'recoveryCodeUsed' }, nowMs);
  return isRight;
}

async function consumeTotp(
  tx: Tx,
  { userId, code }: { userId: string; code: string },
  systemMs: number,
): Promise<boolean> {
  const [app] = await tx
    .select({ secret: authenticators.secret })
    .from(authenticators)
    .where(and(eq(authenticators.userId, userId), isNotNull(authenticators.confirmedAtMs)));
  const step = app ? stepOfTotp(app.secret, code, systemMs) : null;
  if (step === null) return false;
  const used = await tx
    .update(authenticators)
    .set({ lastStep: step })
    .where(and(eq(authenticators.userId, userId), lt(authenticators.lastStep, step)))
    .returning({ userId: authenticators.userId });
  return used.length === 1;
}
