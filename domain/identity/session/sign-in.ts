import { and, eq } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { users } from '#db/schema/user.ts';
import type { AccountCodeOf } from '#domain/identity/account-code.ts';
import { hasEmail } from '#domain/identity/email/email-address.ts';
import { isPassword } from '#domain/identity/password/password.ts';
import { done, type Outcome, refuse } from '#domain/kernel/outcome.ts';
import { type Admission, admit } from './admit-browser.ts';
import type { SignedInBrowser } from './open-session.ts';

/**
 * Signs in by address and password. Unknown address, missing password and wrong password get the same refusal after
 * the same time, so that accounts cannot be discovered. A password replaced during the check signs nobody in. An account
 * with a second factor gets no session yet.
 */
export async function signIn(
  db: Database,
  input: SignedInBrowser & { email: string; password: string },
  nowMs: number,
): Promise<Outcome<Admission, AccountCodeOf<'wrongCredentials'>>> {
  const [user] = await db.read
    .select({ id: users.id, passwordHash: users.passwordHash })
    .from(users)
    .where(hasEmail(input.email));
  const passwordHash = user?.passwordHash ?? null;
  const right = await isPassword(input.password, passwordHash);
  if (!user || passwordHash === null || !right) return refuse('wrongCredentials');
  const { id: userId } = user;
  return db.transaction(async (tx) => {
    // This is a write rather than a read, so that a concurrent password change waits for this row and then
    // ends the new session too.
    const unchanged = await tx
      .update(users)
      .set({ passwordHash })
      .where(and(eq(users.id, userId), eq(users.passwordHash, passwordHash)))
      .returning({ id: users.id });
    if (unchanged.length === 0) return refuse('wrongCredentials');
    return done(await admit(tx, { ...input, userId, isProof: true }, nowMs));
  });
}
