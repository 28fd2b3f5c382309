import { and, eq, isNotNull, isNull } from 'drizzle-orm';
import type { Tx } from '#db/database.ts';
import { users } from '#db/schema/user.ts';

/**
 * Whether a user has proven their address. Until then an account gets no other way in (a token, a code, a linked
 * account): whoever opened it may have named somebody else's address, and the ways in would outlive a new password.
 */
export async function isVerified(tx: Tx, { userId }: { userId: string }): Promise<boolean> {
  const proven = and(eq(users.id, userId), isNotNull(users.emailVerifiedAtMs), isNull(users.deletedAtMs));
  return (await tx.$count(users, proven)) > 0;
}
