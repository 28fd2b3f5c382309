import { createCookie } from 'react-router';
import { config } from '#app/config.server.ts';
import { endSession } from '#domain/account/session/end-session.ts';
import { findSession } from '#domain/account/session/find-session.ts';
import {
  openSession,
  rotateSession,
  SESSION_DAYS,
  type SignedInBrowser,
} from '#domain/account/session/open-session.ts';
import { domainNow } from './clock.server.ts';
import { database } from './database.server.ts';

/** With https the prefix makes browsers refuse a cookie set by another host of the domain. */
export const sessionCookieName = () => (config().secure ? '__Host-keepsake_session' : 'keepsake_session');

function sessionCookie() {
  return createCookie(sessionCookieName(), {
    path: '/',
    sameSite: 'lax',
    httpOnly: true,
    secure: config().secure,
    maxAge: SESSION_DAYS * 24 * 60 * 60,
  });
}

/** The browser's session token, not yet validated. */
export async function sessionToken(request: Request): Promise<string | null> {
  const value: unknown = await sessionCookie().parse(request.headers.get('Cookie'));
  return typeof value === 'string' && value.length > 0 ? value : null;
}

/** Whether a signed-in account sends this: known before the router runs, for what visitors may not send. */
export async function isMember(request: Request): Promise<boolean> {
  const token = await sessionToken(request);
  return token !== null && (await findSession(await database(), { token }, await domainNow())) !== null;
}

/** The Set-Cookie value that keeps a token for another 30 days. */
export const saveSession = (token: string): Promise<string> => sessionCookie().serialize(token);

/** The browser that signs in. */
export const browserOf = async (request: Request): Promise<SignedInBrowser> => ({
  userAgent: request.headers.get('User-Agent') ?? '',
  replaces: (await sessionToken(request)) ?? undefined,
});

/** Signs this browser in with a fresh token, and returns the Set-Cookie value. */
export async function startSession(request: Request, userId: string): Promise<string> {
  const browser = await browserOf(request);
  const { token } = await openSession(await database(), { ...browser, userId }, await domainNow());
  return saveSession(token);
}

/**
 * Gives this browser's session a new token, and returns the Set-Cookie value: one that deletes the token if the session
 * has ended meanwhile. `isProof`: what was just done proves who uses it.
 */
export async function renewSession(
  request: Request,
  { userId, isProof }: { userId: string; isProof: boolean },
): Promise<string> {
  const { userAgent, replaces: token = '' } = await browserOf(request);
  const session = { userId, userAgent, token, isProof };
  const renewed = await rotateSession(await database(), session, await domainNow());
  return renewed ? saveSession(renewed.token) : clearSession();
}

const clearSession = (): Promise<string> => sessionCookie().serialize('', { maxAge: 0 });

/** Signs this browser out, and returns the Set-Cookie value that deletes the token. */
export async function finishSession(request: Request): Promise<string> {
  const token = await sessionToken(request);
  if (token) await endSession(await database(), { token });
  return clearSession();
}
