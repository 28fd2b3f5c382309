import {
  type AccessToken,
  type AccessTokenMaybeWithUserId,
  type AccessTokenWithUserId,
  type AuthProvider,
  accessTokenIsExpired,
} from '@twurple/auth';
import { extractUserId, type UserIdResolvable } from '@twurple/common';
import type { GrantKeeper } from '#bot/twitch/grants/grant-keeper.ts';
import type { TwitchOAuth } from '#bot/twitch/grants/oauth.ts';
import { TwitchFault } from '#bot/twitch/twitch-fault.ts';
import type { TwitchGrant } from '#domain/account/twitch/twitch-grant.ts';

/**
 * Gives Twurple tokens from the database. Twurple's RefreshingAuthProvider remembers any failed refresh until the
 * process ends; here the next call retries, and only Twitch's refusal of a grant is final.
 */
export class DatabaseAuthProvider implements AuthProvider {
  readonly clientId: string;
  readonly #grants: GrantKeeper;
  readonly #oauth: Pick<TwitchOAuth, 'appToken'>;
  readonly #scopes = new Map<string, string[]>();
  #app: AccessToken | null = null;
  #appUnderWay: Promise<AccessToken> | null = null;

  constructor(clientId: string, grants: GrantKeeper, oauth: Pick<TwitchOAuth, 'appToken'>) {
    this.clientId = clientId;
    this.#grants = grants;
    this.#oauth = oauth;
  }

  /** Only scopes read so far: Twurple's call is synchronous, the database is not. */
  getCurrentScopesForUser(user: UserIdResolvable): string[] {
    return this.#scopes.get(extractUserId(user)) ?? [];
  }

  async getAccessTokenForUser(
    user: UserIdResolvable,
    ...scopeSets: Array<string[] | undefined>
  ): Promise<AccessTokenWithUserId> {
    const userId = extractUserId(user);
    const grant = await this.#grants.find(userId);
    for (const anyOf of scopeSets)
      if (anyOf?.length && !anyOf.some((scope) => grant.scopes.includes(scope)))
        throw new TwitchFault('permissionMissing', `the grant of ${userId} lacks ${anyOf.join(' or ')}`);
    return this.#tokenOf(userId, grant);
  }

  async getAnyAccessToken(user?: UserIdResolvable): Promise<AccessTokenMaybeWithUserId> {
    return user === undefined ? this.getAppAccessToken() : this.getAccessTokenForUser(user);
  }

  async getAppAccessToken(forceNew = false): Promise<AccessToken> {
    if (this.#app && !forceNew && !accessTokenIsExpired(this.#app)) return this.#app;
    this.#appUnderWay ??= this.#fetchAppToken().finally(() => {
      this.#appUnderWay = null;
    });
    return this.#appUnderWay;
  }

  async refreshAccessTokenForUser(user: UserIdResolvable): Promise<AccessTokenWithUserId> {
    const userId = extractUserId(user);
    return this.#tokenOf(userId, await this.#grants.refresh(userId));
  }

  async #fetchAppToken(): Promise<AccessToken> {
    const { accessToken, obtainedAtMs, lifetimeSeconds } = await this.#oauth.appToken();
    this.#app = {
      accessToken,
      refreshToken: null,
      scope: [],
      expiresIn: lifetimeSeconds,
      obtainmentTimestamp: obtainedAtMs,
    };
    return this.#app;
  }

  #tokenOf(userId: string, grant: TwitchGrant): AccessTokenWithUserId {
    this.#scopes.set(userId, [...grant.scopes]);
    return {
      userId,
      accessToken: grant.accessToken,
      refreshToken: grant.refreshToken,
      scope: [...grant.scopes],
      expiresIn: grant.lifetimeSeconds,
      obtainmentTimestamp: grant.obtainedAtMs,
    };
  }
}
