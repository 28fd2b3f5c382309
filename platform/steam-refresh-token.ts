import { z } from 'zod';

const claims = z.object({
  iss: z.string(),
  sub: z.string().regex(/^7656119\d{10}$/),
  aud: z.array(z.string()),
  exp: z.number(),
});

export type RefreshTokenFault = 'tokenUnreadable' | 'tokenWrongKind' | 'tokenExpired';

/**
 * Checks a refresh token before use, because steam-user throws uncatchably on a bad one: it must be issued by Steam for
 * a client, and not be expired.
 */
export function readRefreshToken(
  token: string,
  systemMs: number,
): { ok: true; steamId: string; expiresAtMs: number } | { ok: false; fault: RefreshTokenFault } {
  const parsed = claims.safeParse(payloadOf(token));
  if (!parsed.success) return { ok: false, fault: 'tokenUnreadable' };
  const { iss, sub, aud, exp } = parsed.data;
  if (iss !== 'steam' || !aud.includes('client') || !aud.includes('derive'))
    return { ok: false, fault: 'tokenWrongKind' };
  if (exp * 1000 <= systemMs) return { ok: false, fault: 'tokenExpired' };
  return { ok: true, steamId: sub, expiresAtMs: exp * 1000 };
}

function payloadOf(token: string): unknown {
  try {
    return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
  } catch {
    return null;
  }
}
