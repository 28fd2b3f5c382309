import { and, eq, gt } from 'drizzle-orm';
import type { Tx } from '#db/database.ts';
import { sessions, users } from '#db/schema/user.ts';
import { hashOf } from '#domain/identity/access/secret-token.ts';

/**
 * Returns whether this session of this user is still open, read in the caller's transaction. Ending other
 * sessions takes the account's lock. A caller that holds the lock and changes what protects the account
 * checks this, because the session may have ended since the request was admitted.
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
 * Takes the account's lock and returns whether the session may still do what gives others access to the
 * account. Without a token no session is acting, for example in a command.
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
