import { z } from 'zod';
import { TwitchFault } from '#bot/twitch/twitch-fault.ts';
import type { TwitchGrant } from '#domain/account/twitch/twitch-grant.ts';

export interface TwitchApplication {
  clientId: string;
  clientSecret: string;
  /** The base URL of Twitch's OAuth endpoints. */
  authUrl: URL;
}

const DEADLINE_MS = 10_000;

/** Twitch writes null, or an empty scope, for a token without scopes. */
const tokenAnswer = z.object({
  access_token: z.string().min(1),
  refresh_token: z.string().min(1).optional(),
  expires_in: z.number().nonnegative().default(0),
  scope: z.array(z.string()).nullish(),
});

/** Twitch writes null for a token without scopes. */
const validateAnswer = z.object({ scopes: z.array(z.string()).nullish() });

export interface AppToken {
  accessToken: string;
  obtainedAtMs: number;
  lifetimeSeconds: number;
}

/** Twitch's token endpoints, each call with a timeout; failures are thrown as `TwitchFault`. */
export function twitchOAuth({ clientId, clientSecret, authUrl }: TwitchApplication) {
  const endpoint = (name: string) => `${authUrl.href.replace(/\/$/, '')}/${name}`;

  const requestToken = async (fields: Record<string, string>) => {
    const response = await ask(endpoint('token'), {
      method: 'POST',
      body: new URLSearchParams({ client_id: clientId, client_secret: clientSecret, ...fields }),
    });
    const answer = await response.json().catch(() => null);
    if (!response.ok) throw refusalOf(response.status, messageIn(answer));
    const parsed = tokenAnswer.safeParse(answer);
    if (!parsed.success) throw new TwitchFault('unavailable', 'the token endpoint answered nonsense');
    return parsed.data;
  };

  return {
    /**
     * Exchanges a grant for a new one. The old refresh token may be invalid from now on, so store the new grant first.
     */
    async refresh(grant: TwitchGrant): Promise<TwitchGrant> {
      const answer = await requestToken({ grant_type: 'refresh_token', refresh_token: grant.refreshToken });
      const nowMs = Date.now();
      return {
        accessToken: answer.access_token,
        refreshToken: answer.refresh_token ?? grant.refreshToken,
        scopes: (answer.scope ?? grant.scopes).filter(Boolean),
        // This time identifies the grant in the store, so it must differ from the old one.
        obtainedAtMs: nowMs === grant.obtainedAtMs ? nowMs + 1 : nowMs,
        lifetimeSeconds: answer.expires_in,
      };
    },
    async appToken(): Promise<AppToken> {
      const answer = await requestToken({ grant_type: 'client_credentials' });
      return {
        accessToken: answer.access_token,
        obtainedAtMs: Date.now(),
        lifetimeSeconds: answer.expires_in,
      };
    },
    /** The scopes of an access token; null when it is no longer valid. */
    async validate(accessToken: string): Promise<readonly string[] | null> {
      const response = await ask(endpoint('validate'), {
        headers: { Authorization: `OAuth ${accessToken}` },
      });
      if (response.status === 401) return null;
      if (!response.ok) throw new TwitchFault('unavailable', `validate answered ${response.status}`);
      const parsed = validateAnswer.safeParse(await response.json().catch(() => null));
      if (!parsed.success) throw new TwitchFault('unavailable', 'validate answered nonsense');
      return parsed.data.scopes ?? [];
    },
  };
}

export type TwitchOAuth = ReturnType<typeof twitchOAuth>;

async function ask(url: string, request: RequestInit): Promise<Response> {
  try {
    return await fetch(url, { ...request, signal: AbortSignal.timeout(DEADLINE_MS) });
  } catch (error) {
    throw new TwitchFault('unavailable', 'the token endpoint did not answer', error);
  }
}

/**
 * Twitch answers 400 both for an invalid refresh token and for wrong client credentials; only the message
 * differs.
 */
function refusalOf(status: number, message: string): TwitchFault {
  const text = `the token endpoint answered ${status} ${message}`;
  if (status === 429) return new TwitchFault('rateLimited', text);
  if (status >= 500) return new TwitchFault('unavailable', text);
  if (status === 403 || /client/i.test(message)) return new TwitchFault('applicationRefused', text);
  return new TwitchFault('grantDead', text);
}

function messageIn(answer: unknown): string {
  const { message } = (answer ?? {}) as { message?: unknown };
  return typeof message === 'string' ? message : '';
}
