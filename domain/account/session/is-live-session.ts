import { and, eq, gt } from 'drizzle-orm';
import type { Tx } from '#db/database.ts';
import { sessions } from '#db/schema/user.ts';
import { hashOf } from '#domain/account/access/secret-token.ts';

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
