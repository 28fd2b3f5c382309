import { ownCookie, ownCookieName } from '#app/http/own-cookie.server.ts';
import { domainNow } from '#app/services/clock.server.ts';
import { database } from '#app/services/database.server.ts';
import { browserIdOf, isKnownBy } from '#app/services/sign-in/known-device.server.ts';
import { endSession } from '#domain/identity/session/end-session.ts';
import { findSession } from '#domain/identity/session/find-session.ts';
import {
  LONGEST_SESSION_DAYS,
  openSession,
  type SignedInBrowser,
} from '#domain/identity/session/open-session.ts';
import { rotateSession } from '#domain/identity/session/rotate-session.ts';
import { day, second } from '#domain/kernel/time.ts';
import type { SignInWay } from '#domain/outbox/queue-mail.ts';

export const sessionCookieName = () => ownCookieName('keepsake_session');

/**
 * Its content is a secret itself. It is set once for each token: an answer that renewed it could come late, and put a token back
 * that has been replaced.
 */
const sessionCookie = () =>
  ownCookie('keepsake_session', { maxAge: (LONGEST_SESSION_DAYS * day) / second, isSigned: false });

/** The browser's session token, not yet validated. */
export async function sessionToken(request: Request): Promise<string | null> {
  const value: unknown = await sessionCookie().parse(request.headers.get('Cookie'));
  return typeof value === 'string' && value.length > 0 ? value : null;
}

/**
 * Returns whether a signed-in account sends this. It runs before the router, for requests that visitors may
 * not send.
 */
export async function isMember(request: Request): Promise<boolean> {
  const token = await sessionToken(request);
  return token !== null && (await findSession(await database(), { token }, await domainNow())) !== null;
}

/** The Set-Cookie value that stores a token for as long as its session can last. */
export const saveSession = (token: string): Promise<string> => sessionCookie().serialize(token);

/** The browser that sends this. */
const browserOf = async (request: Request): Promise<SignedInBrowser> => ({
  userAgent: request.headers.get('User-Agent') ?? '',
  replaces: (await sessionToken(request)) ?? undefined,
  browserId: (await browserIdOf(request)) ?? undefined,
});

/** The browser that signs in, and by what. */
export const arrivingBrowser = async (request: Request, by: SignInWay): Promise<SignedInBrowser> => ({
  ...(await browserOf(request)),
  arrival: { by, isKnownTo: await isKnownBy(request) },
});

/** Signs in the browser in which this account has just been created, and returns the Set-Cookie value. */
export async function startSession(
  request: Request,
  { userId, isProof }: { userId: string; isProof: boolean },
): Promise<string> {
  const browser = await browserOf(request);
  const { token } = await openSession(await database(), { ...browser, userId, isProof }, await domainNow());
  return saveSession(token);
}

/**
 * Gives this browser's session a new token, and returns the Set-Cookie value. There is none if the session
 * has ended or got another token meanwhile: the answer to that request has the cookie. With `isProof` the act
 * just done proves who uses it.
 */
export async function renewSession(
  request: Request,
  { userId, isProof }: { userId: string; isProof: boolean },
): Promise<string[]> {
  const token = (await sessionToken(request)) ?? '';
  const nowMs = await domainNow();
  const db = await database();
  const rotated = await db.transaction((tx) => rotateSession(tx, { userId, token, isProof }, nowMs));
  return rotated.ok ? [await saveSession(rotated.token)] : [];
}

/** The headers of an answer that sets these cookies. */
export function cookieHeaders(cookies: readonly string[]): Headers {
  const headers = new Headers();
  for (const cookie of cookies) headers.append('Set-Cookie', cookie);
  return headers;
}

const clearSession = (): Promise<string> => sessionCookie().serialize('', { maxAge: 0 });

/** Signs this browser out, and returns the Set-Cookie value that deletes the token. */
export async function finishSession(request: Request): Promise<string> {
  const token = await sessionToken(request);
  if (token) await endSession(await database(), { token });
  return clearSession();
}
