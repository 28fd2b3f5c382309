import { and, eq, isNull } from 'drizzle-orm';
import type { Reader } from '#db/database.ts';
import { users } from '#db/schema/user.ts';
import { emailAddress } from '#domain/identity/email/email-address.ts';
import { isPassword } from './password.ts';

/** Returns whether `proof` is the account's password, or the email address of an account without one. */
export async function isIdentityConfirmed(
  q: Reader,
  input: { userId: string; proof: string },
): Promise<boolean> {
  const { userId, proof } = input;
  const [user] = await q
    .select({ email: users.email, passwordHash: users.passwordHash })
    .from(users)
    .where(and(eq(users.id, userId), isNull(users.deletedAtMs)));
  if (!user) throw new Error(`no user ${userId}`);
  const { email, passwordHash } = user;
  return passwordHash === null ? emailAddress(proof) === email : isPassword(proof, passwordHash);
}
