import { createHash } from 'node:crypto';
import { and, eq, isNull } from 'drizzle-orm';
import type { Reader } from '#db/database.ts';
import { users } from '#db/schema/user.ts';
import { hasEmail } from '#domain/identity/email/email-address.ts';

/**
 * What a browser that signed in is remembered for: an account under its present password. Null without such an account.
 * Whoever knew an earlier password, or had another account with this address before its owner came, is a stranger again.
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
