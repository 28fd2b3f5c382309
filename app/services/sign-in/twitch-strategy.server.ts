import {
  AuthorizationResponseError,
  allowInsecureRequests,
  authorizationCodeGrantRequest,
  ClientSecretPost,
  customFetch,
  None,
  nopkce,
  OperationProcessingError,
  processAuthorizationCodeResponse,
  processRevocationResponse,
  revocationRequest,
  UnsupportedOperationError,
  validateAuthResponse,
} from 'oauth4webapi';
import { Strategy } from 'remix-auth/strategy';
import { readBoundedJson } from '#app/services/sign-in/bounded-answer.ts';

const deadlineMs = 10_000;
const stateLifetimeS = 300;

/** Twitch answered with a refusal or an unreadable body. */
export class TwitchAnswerError extends Error {
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.name = 'TwitchAnswerError';
    this.status = status;
  }
}

/** The answer belongs to no sign-in that this browser has started. */
export class UnknownStateError extends Error {}

/** The person, or Twitch in their name, did not agree. `code` is OAuth's, such as `access_denied`. */
export class TwitchRefusalError extends Error {
  readonly code: string;
  constructor(code: string) {
    super(`Twitch answered ${code}`);
    this.name = 'TwitchRefusalError';
    this.code = code;
  }
}

export interface TwitchTokens {
  accessToken: string;
  refreshToken: string;
  scopes: string[];
  lifetimeSeconds: number;
}

export interface TwitchStrategyOptions {
  clientId: string;
  clientSecret: string;
  redirectUri: string;
  scopes: readonly string[];
  /** Base address of authorize, token and revoke. */
  authUrl: string;
  /** The state that a sign-in begins with and Twitch returns: signed by the caller, and never twice the same. */
  state: string;
  /** True if Twitch prompts even users who allowed all of this before (`force_verify`). */
  asksAgain?: boolean;
  /** Each sign-in under way has a cookie of its own: this name, a colon and its state. */
  cookie: { name: string; path: string; secure: boolean };
}

/**
 * Twitch for remix-auth, on oauth4webapi. Twitch refuses HTTP Basic, returns scopes as a list and errors as
 * `{ status, message }`. It documents no PKCE, so only the state protects the sign-in.
 */
export class TwitchStrategy<User> extends Strategy<User, { tokens: TwitchTokens }> {
  override name = 'twitch';
  readonly #options: TwitchStrategyOptions;

  constructor(
    options: TwitchStrategyOptions,
    verify: Strategy.VerifyFunction<User, { tokens: TwitchTokens }>,
  ) {
    super(verify);
    this.#options = options;
  }

  /**
   * Takes Twitch's answer. A request without a state begins a sign-in: it throws the redirect to Twitch. Throws
   * `UnknownStateError`, `TwitchRefusalError`, `TwitchAnswerError`, or what fetch throws.
   */
  override async authenticate(request: Request): Promise<User> {
    const { searchParams } = new URL(request.url);
    const state = searchParams.get('state');
    if (!state) throw this.#begin();
    if (!this.#hasCookie(request, state)) throw new UnknownStateError('this browser has no such state');
    return this.verify({ tokens: await this.#exchange(this.#validate(searchParams, state)) });
  }

  /** Revokes an access token. */
  async revokeToken(token: string): Promise<void> {
    const { server, client } = this.#parties();
    const response = await revocationRequest(server, client, None(), token, this.#requests(fetchDirectly));
    if (!response.ok)
      throw new TwitchAnswerError(response.status, `the revoke endpoint answered ${response.status}`);
    await processRevocationResponse(response);
  }

  #begin(): Response {
    const { clientId, redirectUri, scopes, authUrl, state, asksAgain, cookie } = this.#options;
    const url = new URL(`${authUrl}/authorize`);
    url.search = new URLSearchParams({
      response_type: 'code',
      client_id: clientId,
      redirect_uri: redirectUri,
      // Required by Twitch, even when nothing is asked for.
      scope: scopes.join(' '),
      state,
      ...(asksAgain && { force_verify: 'true' }),
    }).toString();
    const attributes = `Path=${cookie.path}; Max-Age=${stateLifetimeS}; HttpOnly; SameSite=Lax${cookie.secure ? '; Secure' : ''}`;
    const setCookie = `${cookie.name}:${state}=1; ${attributes}`;
    return new Response(null, { status: 302, headers: { Location: url.href, 'Set-Cookie': setCookie } });
  }

  #hasCookie(request: Request, state: string): boolean {
    const pairs = (request.headers.get('Cookie') ?? '').split(';').map((pair) => pair.trim());
    return pairs.includes(`${this.#options.cookie.name}:${state}=1`);
  }

  #validate(answer: URLSearchParams, state: string): URLSearchParams {
    const { server, client } = this.#parties();
    try {
      const parameters = validateAuthResponse(server, client, answer, state);
      if (parameters.has('code')) return parameters;
    } catch (error) {
      if (error instanceof AuthorizationResponseError) throw new TwitchRefusalError(error.error);
      throw new UnknownStateError('the answer cannot be read', { cause: error });
    }
    throw new UnknownStateError('the answer has no code');
  }

  /** Not retried: a code can be exchanged once, and the user can start again. */
  async #exchange(parameters: URLSearchParams): Promise<TwitchTokens> {
    const { clientSecret, redirectUri } = this.#options;
    const { server, client } = this.#parties();
    const secret = ClientSecretPost(clientSecret);
    const options = this.#requests(fetchTokens);
    const request = authorizationCodeGrantRequest;
    const response = await request(server, client, secret, parameters, redirectUri, nopkce, options);
    const unreadable = () =>
      new TwitchAnswerError(response.status, 'the token endpoint’s answer is incomplete');
    const granted = await processAuthorizationCodeResponse(server, client, response).catch((error) => {
      // The second is of a kind of token (`token_type`) that nobody requested.
      const isUnreadable =
        error instanceof OperationProcessingError || error instanceof UnsupportedOperationError;
      throw isUnreadable ? unreadable() : error;
    });
    const { access_token: accessToken, refresh_token: refreshToken, expires_in: lifetimeSeconds } = granted;
    if (!refreshToken || !lifetimeSeconds) throw unreadable();
    const scopes = (granted.scope ?? '').split(' ').filter(Boolean);
    return { accessToken, refreshToken, scopes, lifetimeSeconds };
  }

  #parties() {
    const { authUrl, clientId } = this.#options;
    return {
      server: {
        issuer: authUrl,
        token_endpoint: `${authUrl}/token`,
        revocation_endpoint: `${authUrl}/revoke`,
      },
      client: { client_id: clientId },
    };
  }

  #requests(fetcher: Fetcher) {
    return {
      [customFetch]: fetcher,
      [allowInsecureRequests]: this.#options.authUrl.startsWith('http:'),
      signal: () => AbortSignal.timeout(deadlineMs),
    };
  }
}

type Fetcher = (
  url: string,
  options: { method: string; headers: Record<string, string>; body?: BodyInit | null; signal?: AbortSignal },
) => Promise<Response>;

const fetchDirectly: Fetcher = (url, { method, headers, body, signal }) =>
  fetch(url, { method, headers, body: body ?? null, redirect: 'error', ...(signal && { signal }) });

/** Joins Twitch's list of scopes, as the standard has it. Twitch writes null or nothing for a token without scopes. */
const fetchTokens: Fetcher = async (url, options) => {
  const response = await fetchDirectly(url, options);
  const body = await readBoundedJson(response);
  if (!response.ok || typeof body !== 'object' || body === null)
    throw new TwitchAnswerError(response.status, `the token endpoint answered ${response.status}`);
  const { scope, ...rest } = body as { scope?: unknown };
  return Response.json({ ...rest, scope: Array.isArray(scope) ? scope.join(' ') : (scope ?? '') });
};
