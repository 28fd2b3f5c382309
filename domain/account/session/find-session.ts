import { and, eq, gt, sql } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { sessions } from '#db/schema/user.ts';
import { statement } from '#db/statement.ts';
import { hashOf } from '#domain/account/access/secret-token.ts';
import { day, hour } from '#domain/time.ts';
import { SESSION_DAYS } from './open-session.ts';

/** A visit this long after the last recorded one is recorded: a write per hour, not per request. */
const slideAfterMs = hour;

const readLive = statement('live_session', (q) =>
  q
    .select({ userId: sessions.userId, lastSeenAtMs: sessions.lastSeenAtMs })
    .from(sessions)
    .where(
      and(
        eq(sessions.tokenHash, sql.placeholder('tokenHash')),
        gt(sessions.expiresAtMs, sql.placeholder('nowMs')),
      ),
    ),
);

/**
 * Whose browser holds this token, or null when it ended or 30 days went by without a visit. `renewed` says that the
 * 30 days began anew, so that the cookie has to follow.
 */
export async function findSession(
  db: Database,
  input: { token: string },
  nowMs: number,
): Promise<{ userId: string; renewed: boolean } | null> {
  const tokenHash = hashOf(input.token);
  const [session] = await readLive(db.read, { tokenHash, nowMs });
  if (!session) return null;
  const renewed = nowMs - session.lastSeenAtMs >= slideAfterMs;
  if (renewed) {
    await db.transaction(async (tx) => {
      await tx
        .update(sessions)
        .set({ lastSeenAtMs: nowMs, expiresAtMs: nowMs + SESSION_DAYS * day })
        .where(and(eq(sessions.tokenHash, tokenHash), gt(sessions.expiresAtMs, nowMs)));
    });
  }
  return { userId: session.userId, renewed };
}
