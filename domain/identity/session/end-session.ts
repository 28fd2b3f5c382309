import { and, eq, isNull, ne, type SQL } from 'drizzle-orm';
import type { Database, Tx } from '#db/database.ts';
import { accessRequests, extensionCodes } from '#db/schema/access.ts';
import { authenticators, pendingSignIns } from '#db/schema/second-factor.ts';
import { sessions, users } from '#db/schema/user.ts';
import { hashOf } from '#domain/identity/access/secret-token.ts';
import type { AccountCodeOf } from '#domain/identity/account-code.ts';
import { done, type Outcome, refuse } from '#domain/kernel/outcome.ts';
import { turnPushOffElsewhere, turnPushOffWith } from '#domain/push/push-devices.ts';

/** Ends a session with all that depends on it (see `endOne`); an unknown token is not an error. */
export async function endSession(db: Database, input: { token: string }): Promise<void> {
  await db.transaction((tx) => endOne(tx, eq(sessions.tokenHash, hashOf(input.token))));
}

/**
 * Ends at most one session, the notices that its browser turned on, and the setup of an app that it began, which no
 * other session may continue. Returns how many ended.
 */
async function endOne(tx: Tx, isIt: SQL | undefined): Promise<number> {
  const [ended] = await tx
    .delete(sessions)
    .where(isIt)
    .returning({ id: sessions.tokenHash, userId: sessions.userId });
  if (!ended) return 0;
  await turnPushOffWith(tx, [ended.id]);
  await tx
    .delete(authenticators)
    .where(
      and(
        eq(authenticators.userId, ended.userId),
        eq(authenticators.begunBySession, ended.id),
        isNull(authenticators.confirmedAtMs),
      ),
    );
  return 1;
}

/**
 * Ends every way into an account but the current session, in the caller's transaction: sessions, sign-ins that wait for
 * their second factor, authenticator apps that are not on yet, codes of the companion app, programs that were allowed and have
 * no token yet, and notices on other devices.
 * With null no session is current. API tokens stay: they are listed, and revoked one by one. Returns how many sessions ended.
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
  await turnPushOffElsewhere(tx, {
    userId,
    sessionHash: currentToken === null ? null : hashOf(currentToken),
  });
  for (const table of [pendingSignIns, extensionCodes, accessRequests])
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
    // Locks the account's row: an act in a session that ends here is either finished before, or finds its
    // session ended.
    await tx.update(users).set({ locale: users.locale }).where(eq(users.id, userId));
    if (sessionId === undefined) return done({ ended: await endOtherAccess(tx, { userId, currentToken }) });
    const ended = await endOne(
      tx,
      and(
        eq(sessions.userId, userId),
        ne(sessions.tokenHash, hashOf(currentToken)),
        eq(sessions.tokenHash, sessionId),
      ),
    );
    return ended > 0 ? done({ ended }) : refuse('sessionUnknown');
  });
}
