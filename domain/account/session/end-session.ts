import { and, eq, ne } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { sessions } from '#db/schema/user.ts';
import { hashOf } from '#domain/account/access/secret-token.ts';
import type { AccountCodeOf } from '#domain/account/account-code.ts';
import { done, type Outcome, refuse } from '#domain/outcome.ts';

/** Signs one browser out; a token that ended already is no fault. */
export async function endSession(db: Database, input: { token: string }): Promise<void> {
  await db.transaction(async (tx) => {
    await tx.delete(sessions).where(eq(sessions.tokenHash, hashOf(input.token)));
  });
}

/**
 * Signs an account out of one other browser, or of all but the one that asks. A session that is somebody else's, has
 * ended, or is the one that asks is unknown here.
 */
export async function signOutElsewhere(
  db: Database,
  input: { userId: string; keepToken: string; sessionId?: string },
): Promise<Outcome<{ ended: number }, AccountCodeOf<'sessionUnknown'>>> {
  const { userId, keepToken, sessionId } = input;
  return db.transaction(async (tx) => {
    const ended = await tx
      .delete(sessions)
      .where(
        and(
          eq(sessions.userId, userId),
          ne(sessions.tokenHash, hashOf(keepToken)),
          sessionId === undefined ? undefined : eq(sessions.tokenHash, sessionId),
        ),
      )
      .returning({ id: sessions.tokenHash });
    if (sessionId !== undefined && ended.length === 0) return refuse('sessionUnknown');
    return done({ ended: ended.length });
  });
}
