import { and, desc, eq, gt, isNull } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { emailTokens } from '#db/schema/user.ts';

/** Returns the new address a user has requested but not confirmed, or null. */
export async function findPendingEmail(
  db: Database,
  input: { userId: string },
  nowMs: number,
): Promise<string | null> {
  const [pending] = await db.read
    .select({ email: emailTokens.email })
    .from(emailTokens)
    .where(
      and(
        eq(emailTokens.userId, input.userId),
        eq(emailTokens.purpose, 'change'),
        isNull(emailTokens.usedAtMs),
        gt(emailTokens.expiresAtMs, nowMs),
      ),
    )
    .orderBy(desc(emailTokens.expiresAtMs))
    .limit(1);
  return pending?.email ?? null;
}
