import { and, eq, lte } from 'drizzle-orm';
import type { Database, Tx } from '#db/database.ts';
import { sessions } from '#db/schema/user.ts';
import { hashOf, newSecretToken } from '#domain/identity/access/secret-token.ts';
import { day } from '#domain/kernel/time.ts';
import type { SignInWay } from '#domain/outbox/queue-mail.ts';
import { claimBrowserForPush, handPushOver } from '#domain/push/push-devices.ts';
import { deviceSubject } from './device-subject.ts';
import { reportNewBrowser } from './report-new-browser.ts';

/** A session ends after this many days without a visit. */
export const SESSION_DAYS = 30;
/**
 * A session ends this many days after its sign-in, however often its browser returns, so that its user proves
 * again who they are.
 */
export const LONGEST_SESSION_DAYS = 180;

/** Returns when a session ends that began at `createdAtMs` and is visited now. */
export const sessionEnd = (createdAtMs: number, nowMs: number): number =>
  Math.min(nowMs + SESSION_DAYS * day, createdAtMs + LONGEST_SESSION_DAYS * day);

/** The browser's details; `replaces` is its previous token. */
export interface SignedInBrowser {
  userAgent: string;
  replaces?: string | undefined;
  /** The id by which the browser itself is known, whoever signs in there; omitted if it has none. */
  browserId?: string | undefined;
  /**
   * The way in which it signs in, and whether it has before; omitted if the account was just created in it.
   */
  arrival?: Arrival;
}

export interface Arrival {
  by: SignInWay;
  /** Returns whether the browser is remembered for this subject (see `deviceSubject`). */
  isKnownTo: (subject: string) => boolean;
}

/**
 * Opens a session and returns the cookie's token. The browser's previous session ends, so that a planted token
 * is worthless after its owner signs in.
 */
export const openSession = (
  db: Database,
  { isProof = true, ...input }: SignedInBrowser & { userId: string; isProof?: boolean },
  nowMs: number,
): Promise<{ token: string; expiresAtMs: number }> =>
  db.transaction((tx) => writeSession(tx, { ...input, isProof }, nowMs));

/**
 * Like `openSession`, in the caller's transaction. With `isProof` the user has just proved who they are, so
 * the session counts as confirmed. The owner is mailed about a browser that is new to the account.
 */
export async function writeSession(
  tx: Tx,
  {
    userId,
    userAgent,
    replaces,
    browserId,
    arrival,
    isProof,
  }: SignedInBrowser & { userId: string; isProof: boolean },
  nowMs: number,
): Promise<{ token: string; expiresAtMs: number }> {
  const token = newSecretToken();
  if (replaces) {
    const [from, to] = [hashOf(replaces), hashOf(token)];
    await tx.delete(sessions).where(eq(sessions.tokenHash, from));
    await handPushOver(tx, { from, to, userId });
  }
  if (browserId !== undefined) {
    const [browserHash, sessionHash] = [hashOf(browserId), hashOf(token)];
    await claimBrowserForPush(tx, { browserHash, sessionHash, userId });
  }
  const expiresAtMs = sessionEnd(nowMs, nowMs);
  await tx.delete(sessions).where(and(eq(sessions.userId, userId), lte(sessions.expiresAtMs, nowMs)));
  await tx.insert(sessions).values({
    tokenHash: hashOf(token),
    userId,
    userAgent: userAgent.slice(0, 300),
    createdAtMs: nowMs,
    lastSeenAtMs: nowMs,
    expiresAtMs,
    confirmedAtMs: isProof ? nowMs : null,
  });
  if (arrival && !(await isKnown(tx, userId, arrival)))
    await reportNewBrowser(tx, { userId, userAgent, by: arrival.by }, nowMs);
  return { token, expiresAtMs };
}

async function isKnown(tx: Tx, userId: string, { isKnownTo }: Arrival): Promise<boolean> {
  const subject = await deviceSubject(tx, { userId });
  return subject !== null && isKnownTo(subject);
}
