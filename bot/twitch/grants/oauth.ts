import { z } from 'zod';
import { TwitchFault } from '#bot/twitch/twitch-fault.ts';
import type { TwitchGrant } from '#domain/account/twitch/twitch-grant.ts';

export interface TwitchApplication {
  clientId: string;
  clientSecret: string;
  /** Twitch's OAuth address, without the endpoint's name. */
  authUrl: URL;
}

const DEADLINE_MS = 10_000;

const tokenAnswer = z.object({
  access_token: z.string().min(1),
  refresh_token: z.string().min(1).optional(),
  expires_in: z.number().nonnegative().default(0),
  scope: z.array(z.string()).optional(),
});

export interface AppToken {
  accessToken: string;
  obtainedAtMs: number;
  lifetimeSeconds: number;
}

/** Twitch's token endpoints, each call with a deadline; what goes wrong is thrown as a `TwitchFault`. */
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
    /** A new grant for an old one. The old refresh token may be dead from now on, so store the new one first. */
    async refresh(grant: TwitchGrant): Promise<TwitchGrant> {
      const answer = await requestToken({ grant_type: 'refresh_token', refresh_token: grant.refreshToken });
      return {
        accessToken: answer.access_token,
        refreshToken: answer.refresh_token ?? grant.refreshToken,
        scopes: answer.scope ?? grant.scopes,
        // The moment names the grant in the store, so it must differ from the one before.
        obtainedAtMs: Math.max(Date.now(), grant.obtainedAtMs + 1),
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
    /** Whether Twitch still honours an access token. */
    async validate(accessToken: string): Promise<boolean> {
      const response = await ask(endpoint('validate'), {
        headers: { Authorization: `OAuth ${accessToken}` },
      });
      if (response.status === 401) return false;
      if (!response.ok) throw new TwitchFault('unavailable', `validate answered ${response.status}`);
      return true;
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

/** Twitch answers 400 for a dead refresh token and for a wrong client alike; only its words tell them apart. */
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
