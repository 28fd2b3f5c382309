import { type Cookie, createCookie } from 'react-router';
import { config } from '#app/config.server.ts';

/**
 * The name of a cookie that is for this host alone. With https browsers take the prefix from this host only, so that another
 * one of the domain can plant none.
 */
export const ownCookieName = (name: string): string => (config().secure ? `__Host-${name}` : name);

/** A cookie for this host that scripts cannot read. The secret signs it, where its content matters. */
export const ownCookie = (
  name: string,
  { maxAge, isSigned }: { maxAge: number; isSigned: boolean },
): Cookie =>
  createCookie(ownCookieName(name), {
    // The prefix requires this path.
    path: '/',
    secure: config().secure,
    sameSite: 'lax',
    httpOnly: true,
    maxAge,
    ...(isSigned && { secrets: [config().sessionSecret] }),
  });
