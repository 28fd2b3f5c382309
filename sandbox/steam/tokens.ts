import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { SteamPerson, WorldState } from './state.ts';

export type TokenKind = 'refresh' | 'access';

/** Claims of each kind of token; steam-user checks issuer and audience before using one. */
const kinds = {
  refresh: { iss: 'steam', aud: ['client', 'web', 'renew', 'derive'], lifeSeconds: 200 * 86_400 },
  access: { iss: 'r:sandbox', aud: ['client', 'web'], lifeSeconds: 86_400 },
} as const satisfies Record<TokenKind, unknown>;

/** Tokens expire by system time, like TLS: advancing the world by a week must not log its bots out. */
function systemSeconds() {
  return Math.floor(Date.now() / 1000);
}

/** Issues a token in Steam's format. It survives restarts, because it is verified by its signature alone. */
export function issueToken(state: WorldState, person: SteamPerson, kind: TokenKind): string {
  const now = systemSeconds();
  const { iss, aud, lifeSeconds } = kinds[kind];
  const claims = {
    iss,
    sub: person.steamId,
    aud,
    iat: now,
    nbf: now - 10,
    exp: now + lifeSeconds,
    jti: randomBytes(8).toString('hex'),
    epoch: epochOf(person, kind),
  };
  const signed = `${encode({ typ: 'JWT', alg: 'EdDSA' })}.${encode(claims)}`;
  return `${signed}.${sign(state, signed)}`;
}

/** The token's owner, or null when it is forged, expired, revoked or of the other kind. */
export function readToken(state: WorldState, token: string, kind: TokenKind): SteamPerson | null {
  const [header, body, signature] = token.split('.');
  if (header === undefined || body === undefined || signature === undefined) return null;
  const expected = Buffer.from(sign(state, `${header}.${body}`));
  const given = Buffer.from(signature);
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return null;
  const claims = JSON.parse(Buffer.from(body, 'base64url').toString()) as {
    iss: string;
    sub: string;
    exp: number;
    epoch: number;
  };
  const person = state.people.find((candidate) => candidate.steamId === claims.sub);
  if (person === undefined || claims.iss !== kinds[kind].iss) return null;
  return claims.exp > systemSeconds() && claims.epoch === epochOf(person, kind) ? person : null;
}

function epochOf(person: SteamPerson, kind: TokenKind) {
  return kind === 'refresh' ? person.refreshTokenEpoch : person.accessTokenEpoch;
}

function encode(part: object) {
  return Buffer.from(JSON.stringify(part)).toString('base64url');
}

function sign(state: WorldState, text: string) {
  return createHmac('sha512', Buffer.from(state.tokenSecret, 'hex')).update(text).digest('base64url');
}
