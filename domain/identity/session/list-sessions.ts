import { and, desc, eq, gt } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { sessions } from '#db/schema/user.ts';
import { hashOf } from '#domain/identity/access/secret-token.ts';

/** A session as shown to its owner. */
export interface ListedSession {
  /** The token's hash: it identifies the session but grants no access. */
  id: string;
  userAgent: string;
  createdAtMs: number;
  lastSeenAtMs: number;
  /** True for the requesting browser. */
  current: boolean;
}

/** Lists an account's sessions: the current one first, then by last visit. */
export async function listSessions(
  db: Database,
  input: { userId: string; currentToken: string | null },
  nowMs: number,
): Promise<ListedSession[]> {
  const currentId = input.currentToken === null ? null : hashOf(input.currentToken);
  const rows = await db.read
    .select({
      id: sessions.tokenHash,
      userAgent: sessions.userAgent,
      createdAtMs: sessions.createdAtMs,
      lastSeenAtMs: sessions.lastSeenAtMs,
    })
    .from(sessions)
    .where(and(eq(sessions.userId, input.userId), gt(sessions.expiresAtMs, nowMs)))
    .orderBy(desc(sessions.lastSeenAtMs), desc(sessions.createdAtMs), desc(sessions.tokenHash));
  const listed = rows.map((row) => ({ ...row, current: row.id === currentId }));
  return listed.sort((one, other) => Number(other.current) - Number(one.current));
}
