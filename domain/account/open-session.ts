import { and, eq, lte } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { sessions } from '#db/schema/user.ts';
import { hashOf, newSecretToken } from '#domain/account/secret-token.ts';
import { day } from '#domain/clock.ts';

export const sessionDays = 30;

/**
 * Signs a browser in for 30 days and answers the token for its cookie. `replaces` is the token that the browser held
 * before: it ends, so that a token planted in a browser is worth nothing after its owner signs in.
 */
export async function openSession(
  db: Database,
  input: { userId: string; userAgent: string; replaces?: string | undefined },
  nowMs: number,
): Promise<{ token: string; expiresAtMs: number }> {
  const token = newSecretToken();
  const expiresAtMs = nowMs + sessionDays * day;
  const { userId, userAgent, replaces } = input;
  await db.transaction(async (tx) => {
    if (replaces) await tx.delete(sessions).where(eq(sessions.tokenHash, hashOf(replaces)));
    await tx.delete(sessions).where(and(eq(sessions.userId, userId), lte(sessions.expiresAtMs, nowMs)));
    await tx.insert(sessions).values({
      tokenHash: hashOf(token),
      userId,
      userAgent: userAgent.slice(0, 300),
      createdAtMs: nowMs,
      lastSeenAtMs: nowMs,
      expiresAtMs,
    });
  });
  return { token, expiresAtMs };
}
