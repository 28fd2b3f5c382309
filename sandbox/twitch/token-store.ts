import { randomBytes } from 'node:crypto';
import type { IssuedToken } from './world-state.ts';

const alphabet = 'abcdefghijklmnopqrstuvwxyz0123456789';

/** A random word in the alphabet of Twitch's tokens. */
export function randomWord(length: number): string {
  return Array.from(randomBytes(length), (byte) => alphabet[byte % alphabet.length]).join('');
}

/** Issued tokens. They are saved with the world, so that a restart of the sandbox logs nobody out. */
export class TokenStore {
  readonly lifetimeSeconds = 14_400;
  #byAccess = new Map<string, IssuedToken>();
  readonly #changed: () => void;
  readonly #systemNow: () => number;

  constructor(tokens: readonly IssuedToken[], changed: () => void, systemNow: () => number = Date.now) {
    for (const token of tokens) this.#byAccess.set(token.accessToken, { ...token });
    this.#changed = changed;
    this.#systemNow = systemNow;
  }

  toJSON(): IssuedToken[] {
    return [...this.#byAccess.values()];
  }

  /** Issues an access token: for a user with a refresh token, or for the application (`userId: null`). */
  issue(grant: { clientId: string; userId: string | null; scopes: readonly string[] }): IssuedToken {
    const token: IssuedToken = {
      accessToken: randomWord(30),
      refreshToken: grant.userId === null ? null : randomWord(50),
      clientId: grant.clientId,
      userId: grant.userId,
      scopes: [...new Set(grant.scopes)],
      expiresAtMs: this.#systemNow() + this.lifetimeSeconds * 1000,
    };
    this.#prune();
    this.#byAccess.set(token.accessToken, token);
    this.#changed();
    return token;
  }

  /** The token, unless it is unknown, expired or revoked. */
  findValid(accessToken: string): IssuedToken | null {
    const token = this.#byAccess.get(accessToken);
    return token && token.expiresAtMs > this.#systemNow() ? token : null;
  }

  remainingSeconds(token: IssuedToken): number {
    return Math.max(0, Math.floor((token.expiresAtMs - this.#systemNow()) / 1000));
  }

  /** Rotates tokens: the old refresh token works once, the old access token until it expires. */
  refresh(refreshToken: string, clientId: string): IssuedToken | null {
    const old = [...this.#byAccess.values()].find(
      (token) => token.refreshToken === refreshToken && token.clientId === clientId,
    );
    if (!old) return null;
    old.refreshToken = null;
    return this.issue(old);
  }

  /** Revokes one access token and the refresh token issued with it. */
  revoke(accessToken: string, clientId: string): boolean {
    const token = this.#byAccess.get(accessToken);
    if (!token || token.clientId !== clientId) return false;
    this.#byAccess.delete(accessToken);
    this.#changed();
    return true;
  }

  /** Revokes everything that a user has granted: access and refresh tokens. */
  revokeUser(userId: string): void {
    for (const token of this.#byAccess.values())
      if (token.userId === userId) this.#byAccess.delete(token.accessToken);
    this.#changed();
  }

  /** All scopes of a user's valid grants for a client; null without a grant. */
  grantedScopes(userId: string, clientId: string): string[] | null {
    const alive = [...this.#byAccess.values()].filter(
      (token) => token.userId === userId && token.clientId === clientId && this.#isAlive(token),
    );
    return alive.length === 0 ? null : [...new Set(alive.flatMap((token) => token.scopes))];
  }

  /** Returns whether a user's valid grants for any client include a scope. */
  hasGranted(userId: string, scope: string): boolean {
    for (const token of this.#byAccess.values())
      if (token.userId === userId && token.scopes.includes(scope) && this.#isAlive(token)) return true;
    return false;
  }

  /** Takes a scope out of all that a user has granted. */
  withdraw(userId: string, scope: string): void {
    for (const token of this.#byAccess.values())
      if (token.userId === userId) token.scopes = token.scopes.filter((one) => one !== scope);
    this.#changed();
  }

  /** Expires the access tokens of one user, or all; refresh tokens still work. */
  expire(userId?: string): void {
    for (const token of this.#byAccess.values())
      if (userId === undefined || token.userId === userId) token.expiresAtMs = this.#systemNow();
    this.#changed();
  }

  #isAlive({ refreshToken, expiresAtMs }: IssuedToken): boolean {
    return refreshToken !== null || expiresAtMs > this.#systemNow();
  }

  #prune(): void {
    for (const token of this.#byAccess.values())
      if (!token.refreshToken && token.expiresAtMs <= this.#systemNow())
        this.#byAccess.delete(token.accessToken);
  }
}
