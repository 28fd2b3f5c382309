import { z } from 'zod';
import { MAX_IRC_CHATS } from '#domain/chat/count-chats.ts';
import { askServer, jsonIn, type ServerAnswer } from './ask.ts';
import type { Finding } from './finding.ts';

export interface TwitchApplication {
  authUrl: URL;
  clientId: string;
  clientSecret: string;
}

const at = (authUrl: URL, path: string) => `${authUrl.href.replace(/\/$/, '')}/${path}`;

/**
 * Asks Twitch for a token of the application, which it discards, and for the page of a sign-in: whether Twitch knows
 * the keys and the redirect address.
 */
export async function examineTwitchApplication(
  { authUrl, clientId, clientSecret }: TwitchApplication,
  publicUrl: URL,
): Promise<Finding[]> {
  const fields = { client_id: clientId, client_secret: clientSecret, grant_type: 'client_credentials' };
  const token = await askServer(at(authUrl, 'token'), { method: 'POST', body: new URLSearchParams(fields) });
  if (isRefusal(token))
    return [
      {
        name: 'twitchKeysRefused',
        what: `Twitch refuses TWITCH_CLIENT_ID or TWITCH_CLIENT_SECRET: ${messageIn(token)}.`,
        why: 'Nobody can connect Twitch, and nothing is counted.',
        remedy: 'Copy both from your application at dev.twitch.tv; a new secret makes the old one invalid.',
      },
    ];
  if (token.status !== 200) return [unreachable(token)];
  const redirect = new URL('/auth/twitch/callback', publicUrl).href;
  const query = new URLSearchParams({ client_id: clientId, redirect_uri: redirect, response_type: 'code' });
  const page = await askServer(`${at(authUrl, 'authorize')}?${query}`);
  const isMismatch = /redirect_mismatch/.test(page.headers.get('location') ?? '');
  if (!isRefusal(page) && !isMismatch) return [];
  return [
    {
      name: 'twitchRedirectRefused',
      what: `The Twitch application does not list ${redirect}.`,
      why: 'Nobody can connect Twitch or sign in with it.',
      remedy: `Add exactly this OAuth redirect URL at dev.twitch.tv: ${redirect}`,
    },
  ];
}

const validation = z.object({ login: z.string().optional(), scopes: z.array(z.string()).nullish() });

/** Asks Twitch whether it still accepts the token of a chat account, and which scopes that has. */
export async function examineChatToken(
  authUrl: URL,
  { login, accessToken, scopes }: { login: string; accessToken: string; scopes: readonly string[] },
): Promise<Finding[]> {
  const headers = { Authorization: `OAuth ${accessToken}` };
  const answer = await askServer(at(authUrl, 'validate'), { headers });
  const remedy = 'Run `keepsake connect-chat-account`.';
  if (answer.status === 401)
    return [
      {
        name: 'chatAccountRefused',
        what: `Twitch no longer accepts the token of the chat account ${login}.`,
        why: 'Commands in chat are not answered, and promises are not announced.',
        remedy,
      },
    ];
  const valid = validation.safeParse(jsonIn(answer));
  if (answer.status !== 200 || !valid.success) return [unreachable(answer)];
  const missing = scopes.filter((scope) => !valid.data.scopes?.includes(scope));
  if (missing.length === 0) return [];
  return [
    {
      name: 'chatScopesMissing',
      what: `The chat account ${login} lacks the permission ${missing.join(' and ')}.`,
      why: missing.some((scope) => scope.startsWith('chat:'))
        ? 'It cannot read commands, or not answer them.'
        : `It has no room for more than ${MAX_IRC_CHATS} chats, and writes nothing into those that are shared with other channels.`,
      remedy,
    },
  ];
}

const isRefusal = ({ status }: ServerAnswer) => [400, 401, 403, 404].includes(status);
const messageIn = (answer: ServerAnswer): string =>
  String((jsonIn(answer) as { message?: unknown } | null)?.message ?? `status ${answer.status}`);

const unreachable = ({ status, reason }: ServerAnswer): Finding => ({
  name: 'twitchUnreachable',
  what: `Twitch does not answer (${reason || `status ${status}`}).`,
  why: 'Nobody can connect Twitch, and nothing is counted.',
  remedy: 'Check the network and status.twitch.com, and run this again.',
});
