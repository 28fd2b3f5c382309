import { setTimeout as delay } from 'node:timers/promises';
import type { TwitchGrant } from '#domain/account/twitch/twitch-grant.ts';

const DEADLINE_MS = 10_000;
const MAX_ATTEMPTS = 30;

/**
 * Signs a demo user in to the product's Twitch application with the device code flow, and acts as the user who enters
 * the code.
 */
export async function authorize(
  twitch: { authUrl: string; clientId: string },
  login: string,
  scopes: readonly string[],
): Promise<TwitchGrant> {
  const asked = await post(`${twitch.authUrl}/device`, {
    client_id: twitch.clientId,
    scopes: scopes.join(' '),
  });
  await fetch(new URL('/activate', twitch.authUrl), {
    method: 'POST',
    body: new URLSearchParams({ user_code: asked.user_code ?? '', login, decision: 'approve' }),
    signal: AbortSignal.timeout(DEADLINE_MS),
  });
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const granted = await post(`${twitch.authUrl}/token`, {
      client_id: twitch.clientId,
      scopes: scopes.join(' '),
      device_code: asked.device_code ?? '',
      grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
    });
    if (granted.access_token && granted.refresh_token)
      return {
        accessToken: granted.access_token,
        refreshToken: granted.refresh_token,
        scopes: granted.scope ?? [],
        obtainedAtMs: Date.now(),
        lifetimeSeconds: granted.expires_in ?? 0,
      };
    await delay(1000);
  }
  throw new Error(`${login} could not be signed in to Twitch`);
}

interface Answer {
  user_code?: string;
  device_code?: string;
  access_token?: string;
  refresh_token?: string;
  scope?: string[];
  expires_in?: number;
}

async function post(url: string, fields: Record<string, string>): Promise<Answer> {
  const response = await fetch(url, {
    method: 'POST',
    body: new URLSearchParams(fields),
    signal: AbortSignal.timeout(DEADLINE_MS),
  });
  return (await response.json()) as Answer;
}
