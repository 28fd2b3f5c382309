import { and, eq, gt, lte } from 'drizzle-orm';
import type { Database, Tx } from '#db/database.ts';
import { sessions } from '#db/schema/user.ts';
import { hashOf, newSecretToken } from '#domain/account/access/secret-token.ts';
import { day } from '#domain/time.ts';

export const SESSION_DAYS = 30;

/** The browser's details; `replaces` is its previous token. */
export interface SignedInBrowser {
  userAgent: string;
  replaces?: string | undefined;
}

/**
 * Opens a 30-day session and returns the cookie's token. The browser's previous session ends, so that a planted token
 * is worthless after its owner signs in.
 */
export const openSession = (
  db: Database,
  input: SignedInBrowser & { userId: string },
  nowMs: number,
): Promise<{ token: string; expiresAtMs: number }> => db.transaction((tx) => writeSession(tx, input, nowMs));

/** Like `openSession`, in the caller's transaction. */
export async function writeSession(
  tx: Tx,
  { userId, userAgent, replaces }: SignedInBrowser & { userId: string },
  nowMs: number,
): Promise<{ token: string; expiresAtMs: number }> {
  if (replaces) await tx.delete(sessions).where(eq(sessions.tokenHash, hashOf(replaces)));
  return insertSession(tx, { userId, userAgent, confirmedAtMs: nowMs }, nowMs);
}

/**
 * Gives a live session of this user a new token, so that a copy of the old one is worthless. Null if it has ended
 * meanwhile: then none is opened. What was done proves who uses it (`isProof`), or the last proof is kept.
 */
export const rotateSession = (
  db: Database,
  input: { userId: string; userAgent: string; token: string; isProof: boolean },
  nowMs: number,
): Promise<{ token: string; expiresAtMs: number } | null> =>
  db.transaction(async (tx) => {
    const { userId, token, userAgent, isProof } = input;
    const [ended] = await tx
      .delete(sessions)
      .where(
        and(
          eq(sessions.tokenHash, hashOf(token)),
          eq(sessions.userId, userId),
          gt(sessions.expiresAtMs, nowMs),
        ),
      )
      .returning({ confirmedAtMs: sessions.confirmedAtMs });
    if (!ended) return null;
    const confirmedAtMs = isProof ? nowMs : ended.confirmedAtMs;
    return insertSession(tx, { userId, userAgent, confirmedAtMs }, nowMs);
  });

async function insertSession(
  tx: Tx,
  { userId, userAgent, confirmedAtMs }: { userId: string; userAgent: string; confirmedAtMs: number | null },
  nowMs: number,
): Promise<{ token: string; expiresAtMs: number }> {
  const token = newSecretToken();
  const expiresAtMs = nowMs + SESSION_DAYS * day;
  await tx.delete(sessions).where(and(eq(sessions.userId, userId), lte(sessions.expiresAtMs, nowMs)));
  await tx.insert(sessions).values({
    tokenHash: hashOf(token),
    userId,
    userAgent: userAgent.slice(0, 300),
    createdAtMs: nowMs,
    lastSeenAtMs: nowMs,
    expiresAtMs,
    confirmedAtMs,
  });
  return { token, expiresAtMs };
}
