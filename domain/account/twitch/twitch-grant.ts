import type { Vault } from '#domain/vault.ts';

/** What Twitch gave us to act for a person. Times are system time, because Twitch's tokens know no other. */
export interface TwitchGrant {
  accessToken: string;
  refreshToken: string;
  scopes: readonly string[];
  obtainedAtMs: number;
  lifetimeSeconds: number;
}

/** A Twitch user as Twitch describes them. The id is the identity; the rest may change any day. */
export interface TwitchPerson {
  twitchId: string;
  login: string;
  displayName: string;
  pictureUrl: string;
  /** Only what Twitch itself verified; null when it told none. */
  email: string | null;
}

interface SealedGrant {
  accessTokenSealed: string;
  refreshTokenSealed: string;
  scopes: string[];
  tokenObtainedAtMs: number;
  tokenLifetimeSeconds: number;
}
/** Where a grant is kept; part of what it is sealed for, so that a row copied elsewhere does not open. */
type Place = `twitch:${string}` | `chat:${string}`;

/** The grant as it is stored: tokens sealed for their place. */
export const sealGrant = (vault: Vault, grant: TwitchGrant, place: Place): SealedGrant => ({
  accessTokenSealed: vault.seal(grant.accessToken, place),
  refreshTokenSealed: vault.seal(grant.refreshToken, place),
  scopes: [...grant.scopes],
  tokenObtainedAtMs: grant.obtainedAtMs,
  tokenLifetimeSeconds: grant.lifetimeSeconds,
});

/** The stored grant, readable again. */
export const openGrant = (vault: Vault, row: SealedGrant, place: Place): TwitchGrant => ({
  accessToken: vault.open(row.accessTokenSealed, place),
  refreshToken: vault.open(row.refreshTokenSealed, place),
  scopes: row.scopes,
  obtainedAtMs: row.tokenObtainedAtMs,
  lifetimeSeconds: row.tokenLifetimeSeconds,
});
