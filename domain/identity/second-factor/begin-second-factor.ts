import { eq } from 'drizzle-orm';
import type { Tx } from '#db/database.ts';
import { users } from '#db/schema/user.ts';
import { consumeEmailLinks } from '#domain/identity/email/consume-email-links.ts';
import { endOtherAccess } from '#domain/identity/session/end-session.ts';
import { replaceRecoveryCodes } from './recovery-codes.ts';

/**
 * Protects an account that had no second factor until now, in the caller's transaction, which holds its lock. Every other
 * browser is signed out, because it signed in without one, and mailed links that would reset the password or change the
 * address end; API tokens stay. Returns ten recovery codes.
 */
export async function beginSecondFactor(
  tx: Tx,
  { userId, currentToken }: { userId: string; currentToken: string },
  nowMs: number,
): Promise<string[]> {
  await tx.update(users).set({ secondFactorAtMs: nowMs }).where(eq(users.id, userId));
  await endOtherAccess(tx, { userId, currentToken });
  await consumeEmailLinks(tx, { userId, purposes: ['reset', 'change'] }, nowMs);
  return replaceRecoveryCodes(tx, userId, nowMs);
}
