import { and, desc, eq, gt } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { sessions } from '#db/schema/user.ts';
import { hashOf } from '#domain/account/access/secret-token.ts';

/** A signed-in browser as its owner sees it. */
export interface ListedSession {
  /** The token's hash: it names the session and opens nothing. */
  id: string;
  userAgent: string;
  createdAtMs: number;
  lastSeenAtMs: number;
  /** The browser that asks. */
  current: boolean;
}

/** The browsers in which an account is signed in: the one that asks first, then as they were last seen. */
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
