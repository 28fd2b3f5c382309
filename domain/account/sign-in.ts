import type { Database } from '#db/database.ts';
import { users } from '#db/schema/user.ts';
import type { AccountCodeOf } from '#domain/account/account-code.ts';
import { hasEmail } from '#domain/account/email-address.ts';
import { isPassword } from '#domain/account/password.ts';
import { done, type Outcome, refuse } from '#domain/outcome.ts';

/**
 * Recognises a person by address and password. One refusal, after the same time, for an unknown address, an account
 * without a password and a wrong password: nobody learns here who has an account.
 */
export async function signIn(
  db: Database,
  input: { email: string; password: string },
): Promise<Outcome<{ userId: string }, AccountCodeOf<'wrongCredentials'>>> {
  const [user] = await db.read
    .select({ id: users.id, passwordHash: users.passwordHash })
    .from(users)
    .where(hasEmail(input.email));
  const right = await isPassword(input.password, user?.passwordHash ?? null);
  return user && right ? done({ userId: user.id }) : refuse('wrongCredentials');
}
