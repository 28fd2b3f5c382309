import { and, eq, isNotNull } from 'drizzle-orm';
import type { Reader, Tx } from '#db/database.ts';
import { users } from '#db/schema/user.ts';

/**
 * Finds the time since when an account is frozen, and the time from which on its owner disowned what was
 * done; null if it is not frozen.
 */
export async function findFreeze(
  q: Reader | Tx,
  { userId }: { userId: string },
): Promise<{ frozenAtMs: number; actAtMs: number } | null> {
  const [user] = await q
    .select({ frozenAtMs: users.frozenAtMs, disownedFromMs: users.disownedFromMs })
    .from(users)
    .where(and(eq(users.id, userId), isNotNull(users.frozenAtMs)));
  if (!user || user.frozenAtMs === null) return null;
  return { frozenAtMs: user.frozenAtMs, actAtMs: user.disownedFromMs ?? user.frozenAtMs };
}
