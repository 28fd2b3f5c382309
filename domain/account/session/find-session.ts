import { and, eq, gt, sql } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { sessions } from '#db/schema/user.ts';
import { statement } from '#db/statement.ts';
import { hashOf } from '#domain/account/access/secret-token.ts';
import { day, hour } from '#domain/time.ts';
import { isConfirmed } from './confirm-identity.ts';
import { SESSION_DAYS } from './open-session.ts';

/** Minimum time between recorded visits: one write per hour, not per request. */
const slideAfterMs = hour;

const readLive = statement('live_session', (q) =>
  q
    .select({
      userId: sessions.userId,
      lastSeenAtMs: sessions.lastSeenAtMs,
      confirmedAtMs: sessions.confirmedAtMs,
    })
    .from(sessions)
    .where(
      and(
        eq(sessions.tokenHash, sql.placeholder('tokenHash')),
        gt(sessions.expiresAtMs, sql.placeholder('nowMs')),
      ),
    ),
);

/**
 * Finds the session of a token; null if it ended or had no visit for 30 days. `renewed` means the 30 days restarted,
 * so the cookie must be renewed too; `confirmed` that its owner proved who they are within the last ten minutes.
 */
export async function findSession(
  db: Database,
  input: { token: string },
  nowMs: number,
): Promise<{ userId: string; renewed: boolean; confirmed: boolean } | null> {
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
  return { userId: session.userId, renewed, confirmed: isConfirmed(session.confirmedAtMs, nowMs) };
}
