import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { config } from '#app/config.server.ts';
import { sessionToken } from '#app/services/sign-in/session.server.ts';

const cookieName = 'XSRF-TOKEN';
const headerName = 'X-XSRF-TOKEN';
const lifetimeS = 2 * 60 * 60;

const sign = (nonce: string, session: string | null): string =>
  createHmac('sha256', config().sessionSecret)
    .update(`xsrf:${nonce}:${session ?? ''}`)
    .digest('base64url');

const isSame = (one: string, other: string): boolean => {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
};

/** A Set-Cookie value with a token that is valid for this session only. Our own scripts can read it. */
export function csrfCookie(session: string | null): string {
  const nonce = randomBytes(16).toString('base64url');
  const secure = config().secure ? '; Secure' : '';
  return `${cookieName}=${nonce}.${sign(nonce, session)}; Path=/; Max-Age=${lifetimeS}; SameSite=Lax${secure}`;
}

/** Like `csrfCookie`, for a session that the response starts or ends. */
export async function csrfCookieFor(setCookie: string): Promise<string> {
  const [pair = ''] = setCookie.split(';');
  const session = await sessionToken(new Request('http://localhost/', { headers: { Cookie: pair } }));
  return csrfCookie(session);
}

function cookieOf(request: Request): string | null {
  const pairs = (request.headers.get('Cookie') ?? '').split(';').map((pair) => pair.trim());
  const prefix = `${cookieName}=`;
  const found = pairs.find((pair) => pair.startsWith(prefix));
  return found ? found.slice(prefix.length) : null;
}

/** Returns whether the browser's origin headers show another site. Other clients send none and pass. */
function comesFromElsewhere({ headers }: Request): boolean {
  const site = headers.get('Sec-Fetch-Site');
  if (site !== null) return site !== 'same-origin';
  const origin = headers.get('Origin');
  return origin !== null && origin !== config().publicUrl.origin;
}

/**
 * Returns whether the header repeats the cookie, and we issued the cookie for this session. Another site can
 * make a browser send the cookie, but cannot read it to set the header.
 */
export async function provesOwnPage(request: Request): Promise<boolean> {
  const [cookie, header] = [cookieOf(request), request.headers.get(headerName)];
  if (!cookie || !header || comesFromElsewhere(request)) return false;
  const [nonce = '', signature = ''] = cookie.split('.');
  return isSame(cookie, header) && isSame(signature, sign(nonce, await sessionToken(request)));
}
