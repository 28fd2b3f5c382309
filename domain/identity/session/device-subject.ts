import { createHash } from 'node:crypto';
import { and, eq, isNull } from 'drizzle-orm';
import type { Reader } from '#db/database.ts';
import { users } from '#db/schema/user.ts';
import { hasEmail } from '#domain/identity/email/email-address.ts';

/**
 * Returns the subject that a browser is remembered for after signing in: an account under its present
 * password; null if there is no such account. A browser becomes a stranger again when the password changes,
 * or when the address passes to another account.
 */
export async function deviceSubject(
  read: Reader,
  account: { userId: string } | { email: string },
): Promise<string | null> {
  const isIt = 'userId' in account ? eq(users.id, account.userId) : hasEmail(account.email);
  const [user] = await read
    .select({ id: users.id, passwordHash: users.passwordHash })
    .from(users)
    .where(and(isIt, isNull(users.deletedAtMs)));
  return user
    ? createHash('sha256')
        .update(`${user.id} ${user.passwordHash ?? ''}`)
        .digest('base64url')
    : null;
}
