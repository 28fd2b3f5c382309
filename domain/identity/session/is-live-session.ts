import { and, eq, gt } from 'drizzle-orm';
import type { Tx } from '#db/database.ts';
import { sessions, users } from '#db/schema/user.ts';
import { hashOf } from '#domain/identity/access/secret-token.ts';

/**
 * Whether this session of this user goes on, read in the caller's transaction. What ends other sessions holds the account's
 * lock, so whoever holds it now and changes what protects the account asks this: their session may have ended after it
 * was admitted.
 */
export async function isLiveSession(
  tx: Tx,
  { userId, token }: { userId: string; token: string },
  nowMs: number,
): Promise<boolean> {
  const isIt = and(
    eq(sessions.tokenHash, hashOf(token)),
    eq(sessions.userId, userId),
    gt(sessions.expiresAtMs, nowMs),
  );
  return (await tx.$count(sessions, isIt)) > 0;
}

/**
 * Whether whoever asked may still do what gives others access to an account: takes the account's lock, and looks whether
 * their session goes on. Without a token nobody's session acts, such as in a command.
 */
export async function mayStillAct(
  tx: Tx,
  { userId, currentToken }: { userId: string; currentToken?: string | undefined },
  nowMs: number,
): Promise<boolean> {
  if (currentToken === undefined) return true;
  await tx.update(users).set({ locale: users.locale }).where(eq(users.id, userId));
  return isLiveSession(tx, { userId, token: currentToken }, nowMs);
}
