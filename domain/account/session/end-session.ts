import { and, eq, isNull, ne } from 'drizzle-orm';
import type { Database, Tx } from '#db/database.ts';
import { extensionCodes } from '#db/schema/access.ts';
import { authenticators, pendingSignIns } from '#db/schema/second-factor.ts';
import { sessions } from '#db/schema/user.ts';
import { hashOf } from '#domain/account/access/secret-token.ts';
import type { AccountCodeOf } from '#domain/account/account-code.ts';
import { done, type Outcome, refuse } from '#domain/outcome.ts';

/** Ends a session; an unknown token is not an error. */
export async function endSession(db: Database, input: { token: string }): Promise<void> {
  await db.transaction(async (tx) => {
    await tx.delete(sessions).where(eq(sessions.tokenHash, hashOf(input.token)));
  });
}

/**
 * Ends every way into an account but the current session, in the caller's transaction: sessions, sign-ins that wait for
 * their second factor, authenticator apps that are not on yet, and codes of the companion app. With null no session is
 * current. API tokens stay: they are listed, and revoked one by one. Returns how many sessions ended.
 */
export async function endOtherAccess(
  tx: Tx,
  { userId, currentToken }: { userId: string; currentToken: string | null },
): Promise<number> {
  const isOther = currentToken === null ? undefined : ne(sessions.tokenHash, hashOf(currentToken));
  const ended = await tx
    .delete(sessions)
    .where(and(eq(sessions.userId, userId), isOther))
    .returning({ id: sessions.tokenHash });
  for (const table of [pendingSignIns, extensionCodes])
    await tx.delete(table).where(eq(table.userId, userId));
  await tx
    .delete(authenticators)
    .where(and(eq(authenticators.userId, userId), isNull(authenticators.confirmedAtMs)));
  return ended.length;
}

/**
 * Ends one other session of an account, or every way into it but the current session (see `endOtherAccess`). The current
 * session, ended sessions and those of other users count as unknown.
 */
export async function signOutElsewhere(
  db: Database,
  input: { userId: string; currentToken: string; sessionId?: string },
): Promise<Outcome<{ ended: number }, AccountCodeOf<'sessionUnknown'>>> {
  const { userId, currentToken, sessionId } = input;
  return db.transaction(async (tx) => {
    if (sessionId === undefined) return done({ ended: await endOtherAccess(tx, { userId, currentToken }) });
    const ended = await tx
      .delete(sessions)
      .where(
        and(
          eq(sessions.userId, userId),
          ne(sessions.tokenHash, hashOf(currentToken)),
          eq(sessions.tokenHash, sessionId),
        ),
      )
      .returning({ id: sessions.tokenHash });
    return ended.length > 0 ? done({ ended: ended.length }) : refuse('sessionUnknown');
  });
}
