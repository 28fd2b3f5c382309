import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import type { Database } from '#db/database.ts';
import { connectChatAccount as storeChatAccount } from '#domain/account/twitch/connect-chat-account.ts';
import { chatAccountScopes } from '#domain/identity/twitch/twitch-scopes.ts';
import { done, type Outcome, refuse } from '#domain/kernel/outcome.ts';
import type { Vault } from '#domain/kernel/vault.ts';
import { steadyMs } from '#platform/steady-time.ts';

export interface ChatAccountRequest {
  db: Database;
  vault: Vault;
  config: { clientId: string; authUrl: URL; botLogins: readonly string[] };
  print(line: string): void;
  /** Ends the wait. */
  signal?: AbortSignal;
}

export type ConnectRefusal =
  | 'unavailable'
  | 'applicationRefused'
  | 'denied'
  | 'expired'
  | 'stopped'
  | 'wrongAccount';

/** All at once, so that growing past a hundred chats needs no second visit. */
const scopes = [...chatAccountScopes];
const DEADLINE_MS = 10_000;

const deviceAnswer = z.object({
  device_code: z.string().min(1),
  user_code: z.string().min(1),
  verification_uri: z.url(),
  expires_in: z.number().positive(),
  interval: z.number().nonnegative().default(5),
});
const tokenAnswer = z.object({
  access_token: z.string().min(1),
  refresh_token: z.string().min(1),
  expires_in: z.number().nonnegative(),
  scope: z.array(z.string()).default(scopes),
});
const validateAnswer = z.object({ login: z.string(), user_id: z.string().regex(/^\d+$/) });

/**
 * Connects the chat account with Twitch's device code flow: the operator opens a URL on any device, enters a code and
 * authorizes as that account. Refused, without storing anything, if a different account authorized.
 */
export async function connectChatAccount(
  request: ChatAccountRequest,
): Promise<Outcome<{ login: string }, ConnectRefusal>> {
  const outcome = await grantByDevice(request);
  request.print(outcome.ok ? `${outcome.login} is connected.` : refusals[outcome.code](request));
  return outcome;
}

const refusals: Record<ConnectRefusal, (request: ChatAccountRequest) => string> = {
  unavailable: ({ config }) => `${config.authUrl.host} did not answer as expected. Try again later.`,
  applicationRefused: () => 'Twitch does not know this application. Check TWITCH_CLIENT_ID.',
  denied: () => 'The request was declined. Nothing was stored.',
  expired: () => 'The code has expired. Connect again for a new one.',
  stopped: () => 'Stopped. Nothing was stored.',
  wrongAccount: ({ config }) =>
    `Another account agreed. Sign in to Twitch as ${config.botLogins.join(' or ')} (TWITCH_BOT_LOGIN) and connect again.`,
};

async function grantByDevice(request: ChatAccountRequest) {
  const { db, vault, config, print } = request;
  const { clientId, authUrl, botLogins } = config;
  const begun = await ask(authUrl, 'device', { client_id: clientId, scopes: scopes.join(' ') });
  if (begun.status === 400) return refuse('applicationRefused');
  const device = deviceAnswer.safeParse(begun.body);
  if (!device.success) return refuse('unavailable');
  print(
    `Open ${device.data.verification_uri} as ${botLogins.join(' or ')} and enter the code ${device.data.user_code}`,
  );

  const token = await waitForToken(request, device.data);
  if (!token.ok) return token;
  const obtainedAtMs = Date.now();
  const owner = validateAnswer.safeParse((await ask(authUrl, 'validate', null, token.access_token)).body);
  if (!owner.success) return refuse('unavailable');
  const { login, user_id: twitchId } = owner.data;
  if (!botLogins.includes(login.toLowerCase())) return refuse('wrongAccount');
  const grant = {
    accessToken: token.access_token,
    refreshToken: token.refresh_token,
    scopes: token.scope,
    obtainedAtMs,
    lifetimeSeconds: token.expires_in,
  };
  await storeChatAccount(db, { vault, twitchId, login, grant });
  return done({ login });
}

/**
 * Polls as often as Twitch allows until the user decides, and says every minute how long the code lasts; requests
 * without a response are retried.
 */
async function waitForToken(
  { config: { clientId, authUrl }, print, signal }: ChatAccountRequest,
  device: z.output<typeof deviceAnswer>,
): Promise<Outcome<z.output<typeof tokenAnswer>, ConnectRefusal>> {
  const untilMs = steadyMs() + device.expires_in * 1000;
  let intervalMs = device.interval * 1000;
  let minutesBefore = 0;
  while (steadyMs() < untilMs) {
    const minutes = Math.ceil((untilMs - steadyMs()) / 60_000);
    if (minutes !== minutesBefore) print(`Waiting. The code lasts for ${minutes} more min.`);
    minutesBefore = minutes;
    await delay(intervalMs, null, { ...(signal && { signal }) }).catch(() => {});
    if (signal?.aborted) return refuse('stopped');
    const { status, body } = await ask(authUrl, 'token', {
      client_id: clientId,
      scopes: scopes.join(' '),
      device_code: device.device_code,
      grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
    });
    const token = status === 200 ? tokenAnswer.safeParse(body) : null;
    if (token?.success) return done(token.data);
    const message = String((body as { message?: unknown } | null)?.message ?? '');
    if (message === 'slow_down') intervalMs += 5000;
    if (/denied/i.test(message)) return refuse('denied');
    if (/invalid device code|expired/i.test(message)) return refuse('expired');
  }
  return refuse('expired');
}

/** One request with a timeout. Status 0: no response. */
async function ask(authUrl: URL, endpoint: string, fields: Record<string, string> | null, token?: string) {
  try {
    const response = await fetch(`${authUrl.href.replace(/\/$/, '')}/${endpoint}`, {
      ...(fields && { method: 'POST', body: new URLSearchParams(fields) }),
      ...(token && { headers: { Authorization: `OAuth ${token}` } }),
      signal: AbortSignal.timeout(DEADLINE_MS),
    });
    return { status: response.status, body: (await response.json()) as unknown };
  } catch {
    return { status: 0, body: null };
  }
}
