import { and, eq, isNotNull, isNull } from 'drizzle-orm';
import type { Tx } from '#db/database.ts';
import { users } from '#db/schema/user.ts';

/**
 * Returns whether a user has verified their address. Until then an account gets no other way to sign in
 * (token, code, linked account), because its creator may have used somebody else's address, and such access
 * would survive a password reset.
 */
export async function isVerified(tx: Tx, { userId }: { userId: string }): Promise<boolean> {
  const proven = and(eq(users.id, userId), isNotNull(users.emailVerifiedAtMs), isNull(users.deletedAtMs));
  return (await tx.$count(users, proven)) > 0;
}
