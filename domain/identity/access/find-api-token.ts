import { and, eq, isNull } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { apiTokens } from '#db/schema/access.ts';
import { users } from '#db/schema/user.ts';
import { minute } from '#domain/kernel/time.ts';
import { recordUse } from './record-use.ts';
import { hashOf } from './secret-token.ts';

/** Minimum time between recorded uses: one write per minute, not per request. */
const recordAfterMs = minute;

/** Returns the owner of an API token; null if it is unknown or revoked, or its owner was deleted. */
export async function findApiToken(
  db: Database,
  input: { token: string },
  nowMs: number,
): Promise<{ userId: string; tokenId: string } | null> {
  const [found] = await db.read
    .select({ tokenId: apiTokens.id, userId: apiTokens.userId, lastUsedAtMs: apiTokens.lastUsedAtMs })
    .from(apiTokens)
    .innerJoin(users, and(eq(users.id, apiTokens.userId), isNull(users.deletedAtMs)))
    .where(eq(apiTokens.tokenHash, hashOf(input.token)));
  if (!found) return null;
  const { tokenId, userId, lastUsedAtMs } = found;
  if (lastUsedAtMs === null || nowMs - lastUsedAtMs >= recordAfterMs)
    await recordUse(db, (tx) =>
      tx.update(apiTokens).set({ lastUsedAtMs: nowMs }).where(eq(apiTokens.id, tokenId)),
    );
  return { userId, tokenId };
}
