import { type BroadcasterType, broadcasterTypes } from '#db/schema/channel.ts';
import type { Vault } from '#domain/kernel/vault.ts';

/** Twitch tokens to act for a user. Times are system time, like Twitch's own. */
export interface TwitchGrant {
  accessToken: string;
  refreshToken: string;
  scopes: readonly string[];
  obtainedAtMs: number;
  lifetimeSeconds: number;
}

/** Reads Twitch's `broadcaster_type`, which is empty for most people. */
export const broadcasterTypeOf = (twitchType: string): BroadcasterType =>
  broadcasterTypes.find((type) => type === twitchType) ?? 'plain';

/** A Twitch profile. The id is the identity; everything else may change. */
export interface TwitchPerson {
  twitchId: string;
  login: string;
  displayName: string;
  pictureUrl: string;
  /** Only an address verified by Twitch; null if none was returned. */
  email: string | null;
  /** Omitted if it was not read. */
  broadcasterType?: BroadcasterType;
}

interface SealedGrant {
  accessTokenSealed: string;
  refreshTokenSealed: string;
  scopes: string[];
  tokenObtainedAtMs: number;
  tokenLifetimeSeconds: number;
}
/**
 * The place where a grant is stored. It is part of the encryption context, so that a row copied elsewhere
 * cannot be decrypted.
 */
type Place = `twitch:${string}` | `chat:${string}`;

/** Encrypts a grant's tokens for their place. */
export const sealGrant = (vault: Vault, grant: TwitchGrant, place: Place): SealedGrant => ({
  accessTokenSealed: vault.seal(grant.accessToken, place),
  refreshTokenSealed: vault.seal(grant.refreshToken, place),
  scopes: [...grant.scopes],
  tokenObtainedAtMs: grant.obtainedAtMs,
  tokenLifetimeSeconds: grant.lifetimeSeconds,
});

/** Decrypts a stored grant. */
export const openGrant = (vault: Vault, row: SealedGrant, place: Place): TwitchGrant => ({
  accessToken: vault.open(row.accessTokenSealed, place),
  refreshToken: vault.open(row.refreshTokenSealed, place),
  scopes: row.scopes,
  obtainedAtMs: row.tokenObtainedAtMs,
  lifetimeSeconds: row.tokenLifetimeSeconds,
});
