import { OAuth2Tokens } from 'arctic';
import type { Strategy } from 'remix-auth/strategy';
import { OAuth2Strategy } from 'remix-auth-oauth2';
import { z } from 'zod';

const deadlineMs = 10_000;

/** Twitch answered with a refusal or an unreadable body. */
export class TwitchAnswerError extends Error {
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.name = 'TwitchAnswerError';
    this.status = status;
  }
}

const TokenSchema = z.object({
  access_token: z.string().min(1),
  refresh_token: z.string().min(1),
  expires_in: z.number().positive(),
  token_type: z.string().default('bearer'),
  /** Twitch writes null or nothing for a token without scopes. */
  scope: z
    .union([z.array(z.string()), z.string()])
    .nullish()
    .transform((scope) => scope ?? []),
});

export interface TwitchStrategyOptions {
  clientId: string;
  clientSecret: string;
  redirectUri: string;
  scopes: readonly string[];
  /** Base address of authorize, token and revoke. */
  authUrl: string;
  /** The user this sign-in belongs to; it is returned with the state. */
  mark: string;
  /** Whether Twitch asks even someone who allowed all of this before (`force_verify`). */
  asksAgain?: boolean;
  cookie: { name: string; path: string; secure: boolean };
}

const stateCookie = ({ name, path, secure }: TwitchStrategyOptions['cookie']) => ({
  name,
  path,
  sameSite: 'Lax' as const,
  httpOnly: true as const,
  maxAge: 300,
  ...(secure && { secure: true as const }),
});

/**
 * Twitch for remix-auth. Twitch refuses HTTP Basic, returns scopes as a list and errors as `{ status, message }`,
 * which the general OAuth2 strategy does not support. Twitch documents no PKCE, so only the state protects the
 * sign-in.
 */
export class TwitchStrategy<User> extends OAuth2Strategy<User> {
  override name = 'twitch';
  readonly #options: TwitchStrategyOptions;

  constructor(
    options: TwitchStrategyOptions,
    verify: Strategy.VerifyFunction<User, OAuth2Strategy.VerifyOptions>,
  ) {
    super(
      {
        clientId: options.clientId,
        clientSecret: options.clientSecret,
        redirectURI: options.redirectUri,
        scopes: [...options.scopes],
        authorizationEndpoint: `${options.authUrl}/authorize`,
        tokenEndpoint: `${options.authUrl}/token`,
        tokenRevocationEndpoint: `${options.authUrl}/revoke`,
        cookie: stateCookie(options.cookie),
      },
      verify,
    );
    this.#options = options;
  }

  protected override createAuthorizationURL() {
    const made = super.createAuthorizationURL();
    const state = `${made.state}.${this.#options.mark}`;
    made.url.searchParams.set('state', state);
    return { ...made, state };
  }

  protected override authorizationParams(params: URLSearchParams): URLSearchParams {
    const asked = new URLSearchParams(params);
    asked.delete('code_challenge');
    asked.delete('code_challenge_method');
    // Required by Twitch, even when nothing is asked for.
    if (!asked.has('scope')) asked.set('scope', '');
    if (this.#options.asksAgain) asked.set('force_verify', 'true');
    return asked;
  }

  protected override async validateAuthorizationCode(code: string): Promise<OAuth2Tokens> {
    const { clientId, clientSecret, redirectUri } = this.#options;
    const response = await this.#post('token', {
      client_id: clientId,
      client_secret: clientSecret,
      grant_type: 'authorization_code',
      code,
      redirect_uri: redirectUri,
    });
    const parsed = TokenSchema.safeParse(await response.json().catch(() => null));
    if (!response.ok || !parsed.success)
      throw new TwitchAnswerError(response.status, `the token endpoint answered ${response.status}`);
    const { scope } = parsed.data;
    return new OAuth2Tokens({ ...parsed.data, scope: Array.isArray(scope) ? scope.join(' ') : scope });
  }

  override async revokeToken(token: string): Promise<void> {
    const response = await this.#post('revoke', { client_id: this.#options.clientId, token });
    if (!response.ok)
      throw new TwitchAnswerError(response.status, `the revoke endpoint answered ${response.status}`);
  }

  /** Not retried: a code can be exchanged once, and the user can start again. */
  #post(endpoint: string, fields: Record<string, string>): Promise<Response> {
    return fetch(`${this.#options.authUrl}/${endpoint}`, {
      method: 'POST',
      body: new URLSearchParams(fields),
      redirect: 'error',
      signal: AbortSignal.timeout(deadlineMs),
    });
  }
}
