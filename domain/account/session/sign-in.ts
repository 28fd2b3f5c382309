import { and, eq } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { users } from '#db/schema/user.ts';
import type { AccountCodeOf } from '#domain/account/account-code.ts';
import { hasEmail } from '#domain/account/email/email-address.ts';
import { isPassword } from '#domain/account/password/password.ts';
import { done, type Outcome, refuse } from '#domain/outcome.ts';
import { type SignedInBrowser, writeSession } from './open-session.ts';

/**
 * Recognises a person by address and password, and signs the browser in. One refusal, after the same time, for an unknown
 * address, an account without a password and a wrong password: nobody learns here who has an account. A password that is
 * replaced while it is being checked signs nobody in any more.
 */
export async function signIn(
  db: Database,
  input: SignedInBrowser & { email: string; password: string },
  nowMs: number,
): Promise<Outcome<{ userId: string; token: string }, AccountCodeOf<'wrongCredentials'>>> {
  const [user] = await db.read
    .select({ id: users.id, passwordHash: users.passwordHash })
    .from(users)
    .where(hasEmail(input.email));
  const passwordHash = user?.passwordHash ?? null;
  const right = await isPassword(input.password, passwordHash);
  if (!user || passwordHash === null || !right) return refuse('wrongCredentials');
  const { id: userId } = user;
  return db.transaction(async (tx) => {
    // Written and not only read: who replaces the password waits for this row, and then ends the new session too.
    const unchanged = await tx
      .update(users)
      .set({ passwordHash })
      .where(and(eq(users.id, userId), eq(users.passwordHash, passwordHash)))
      .returning({ id: users.id });
    if (unchanged.length === 0) return refuse('wrongCredentials');
    const { token } = await writeSession(tx, { ...input, userId }, nowMs);
    return done({ userId, token });
  });
}
