import { and, eq, gt } from 'drizzle-orm';
import type { Reader, Tx } from '#db/database.ts';
import { pushDevices } from '#db/schema/push.ts';
import { authenticators, passkeyChallenges } from '#db/schema/second-factor.ts';
import { sessions } from '#db/schema/user.ts';
import { hashOf, newSecretToken } from '#domain/identity/access/secret-token.ts';
import type { AccountCodeOf } from '#domain/identity/account-code.ts';
import { done, type Outcome, refuse } from '#domain/kernel/outcome.ts';
import { second } from '#domain/kernel/time.ts';

/**
 * A request with the previous token may still be on its way for this long after the session got a new one.
 */
const UNDER_WAY_MS = 10 * second;

/**
 * Gives a live session of this user a new token, in the caller's transaction, so that every copy of the old
 * one is worthless. If the act proves who uses the session (`isProof`), that is recorded; otherwise the last
 * proof is kept. The session's end is kept as well, and so is what the browser has begun: the setup of an
 * authenticator app, a challenge for a passkey, and its notices. Refused if the session has ended.
 */
export async function rotateSession(
  tx: Tx,
  { userId, token, isProof }: { userId: string; token: string; isProof: boolean },
  nowMs: number,
): Promise<Outcome<{ token: string }, AccountCodeOf<'sessionUnknown'>>> {
  const fresh = newSecretToken();
  const [from, to] = [hashOf(token), hashOf(fresh)];
  const rotated = await tx
    .update(sessions)
    .set({ tokenHash: to, replacedHash: from, rotatedAtMs: nowMs, ...(isProof && { confirmedAtMs: nowMs }) })
    .where(and(eq(sessions.tokenHash, from), eq(sessions.userId, userId), gt(sessions.expiresAtMs, nowMs)))
    .returning({ userId: sessions.userId });
  if (rotated.length === 0) return refuse('sessionUnknown');
  await tx
    .update(authenticators)
    .set({ begunBySession: to })
    .where(and(eq(authenticators.userId, userId), eq(authenticators.begunBySession, from)));
  await tx.update(passkeyChallenges).set({ heldBy: to }).where(eq(passkeyChallenges.heldBy, from));
  await tx.update(pushDevices).set({ sessionHash: to }).where(eq(pushDevices.sessionHash, from));
  return done({ token: fresh });
}

/**
 * Returns whether this token was replaced by another one a moment ago. A request with the old one may come
 * from another tab of the same browser, which has the new one by now; the old one gives no access.
 */
export async function wasJustRotated(
  read: Reader,
  { token }: { token: string },
  nowMs: number,
): Promise<boolean> {
  const [found] = await read
    .select({ userId: sessions.userId })
    .from(sessions)
    .where(and(eq(sessions.replacedHash, hashOf(token)), gt(sessions.rotatedAtMs, nowMs - UNDER_WAY_MS)));
  return found !== undefined;
}
