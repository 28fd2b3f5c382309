import { and, eq, isNotNull, lt } from 'drizzle-orm';
import type { Tx } from '#db/database.ts';
import { authenticators } from '#db/schema/second-factor.ts';
import { users } from '#db/schema/user.ts';
import { notifyOfChange } from '#domain/account/notify-of-change.ts';
import { consumeRecoveryCode } from './recovery-codes.ts';
import { stepOfTotp } from './totp.ts';

export interface Times {
  /** Domain time, for what is recorded. */
  nowMs: number;
  /** System time, for codes of an app. */
  systemMs: number;
}

/** Whether this is written like a code of an authenticator app, rather than a recovery code. */
export const isTotp = (code: string): boolean => /^\d{6}$/.test(withoutSpaces(code));

const withoutSpaces = (code: string): string => code.replaceAll(/\s/g, '');

/**
 * Locks the account's row and returns since when it has a second factor; null: it has none. Whatever decides by this, or
 * changes it, waits here for the others: a sign-in cannot slip past a factor that is being turned on.
 */
export async function lockSecondFactor(tx: Tx, userId: string): Promise<number | null> {
  const [user] = await tx
    .update(users)
    .set({ secondFactorAtMs: users.secondFactorAtMs })
    .where(eq(users.id, userId))
    .returning({ secondFactorAtMs: users.secondFactorAtMs });
  return user?.secondFactorAtMs ?? null;
}

/**
 * Uses up a code of the account's app, or one of its recovery codes, in the caller's transaction. Returns whether it was
 * right: each code works once. The owner is mailed when a recovery code was used.
 */
export async function proveSecondFactor(
  tx: Tx,
  { userId, code }: { userId: string; code: string },
  { nowMs, systemMs }: Times,
): Promise<boolean> {
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
