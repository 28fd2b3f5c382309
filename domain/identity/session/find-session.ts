import { and, eq, gt, sql } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { sessions } from '#db/schema/user.ts';
import { statement } from '#db/statement.ts';
import { recordUse } from '#domain/identity/access/record-use.ts';
import { hashOf } from '#domain/identity/access/secret-token.ts';
import { hour } from '#domain/kernel/time.ts';
import { isConfirmed } from './confirm-identity.ts';
import { sessionEnd } from './open-session.ts';

/** Minimum time between recorded visits: one write per hour, not per request. */
const slideAfterMs = hour;

const readLive = statement('live_session', (q) =>
  q
    .select({
      userId: sessions.userId,
      createdAtMs: sessions.createdAtMs,
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
 * Finds the session of a token, and records the visit; null if it ended: 30 days after its last visit, or 180 after its sign-in.
 * `confirmed` means that its owner proved who they are within the last ten minutes.
 */
export async function findSession(
  db: Database,
  input: { token: string },
  nowMs: number,
): Promise<{ userId: string; confirmed: boolean } | null> {
  const tokenHash = hashOf(input.token);
  const [session] = await readLive(db.read, { tokenHash, nowMs });
  if (!session) return null;
  if (nowMs - session.lastSeenAtMs >= slideAfterMs) {
    const expiresAtMs = sessionEnd(session.createdAtMs, nowMs);
    await recordUse(db, (tx) =>
      tx
        .update(sessions)
        .set({ lastSeenAtMs: nowMs, expiresAtMs })
        .where(and(eq(sessions.tokenHash, tokenHash), gt(sessions.expiresAtMs, nowMs))),
    );
  }
  return { userId: session.userId, confirmed: isConfirmed(session.confirmedAtMs, nowMs) };
}
